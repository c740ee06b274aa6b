// Command ingest counts the rows of CSV files by the values of one column with Active Pebbles, prints the most frequent
// values, and writes all counts to files.
//
//	go run ./examples/ingest -column city -out counts trips/*.csv.zst
//	pebbles run -n 4 -- ./ingest -column city -out counts 'trips/*.csv.zst'
//
// Each rank reads a share of the files and sends its values to their owners. docs/guide-data.md walks through it.
package main
