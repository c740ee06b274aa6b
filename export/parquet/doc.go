// Package parquet writes Parquet files by all ranks, as a format of package export. It is a separate package to keep
// the Parquet library out of programs that do not write Parquet.
package parquet
