// Package ocf reads and writes the blocks of Avro object container files. Unlike goavro's reader, which goes from the
// beginning of a file to its end, it finds blocks by their headers and reads any of them, and what it allocates for one
// is bounded. It knows nothing of what is in a block but the number of records.
package ocf
