// Package parquet reads Parquet files by all ranks: it is a format of package ingest. It stands apart so that programs
// that read no Parquet are not linked with what reads it.
package parquet
