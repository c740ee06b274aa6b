// Package parquet reads Parquet files by all ranks, as a format of package ingest. It is a separate package to keep the
// Parquet library out of programs that do not read Parquet.
package parquet
