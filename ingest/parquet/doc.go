// Package parquet reads Parquet files by all ranks, as a format of package ingest. It is a package of its own to keep
// the Parquet library out of programs that do not read Parquet.
package parquet
