// Package dataset has the common parts of reading and writing files by all ranks: agreement on errors, the ranks of a
// host, and columns of a table as fields of a struct. Packages ingest and export are built on it.
package dataset
