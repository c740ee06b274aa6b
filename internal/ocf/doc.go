// Package ocf reads and writes the blocks of Avro object container files. Unlike goavro's reader, which reads a file
// from the beginning to the end, it finds blocks by their headers and reads any of them, with bounded memory. It does
// not interpret the contents of a block, except the number of records.
package ocf
