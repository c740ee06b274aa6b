// Package parquet writes Parquet files by all ranks: it is a format of package export. It stands apart so that programs
// that write no Parquet are not linked with what writes it.
package parquet
