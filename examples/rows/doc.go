// Rows is a matrix that is spread over all ranks by rows: each rank sends its first row to the rank above and its last
// to the one below, and then works alone. It is the program of docs/guide-memory.md.
//
//	go run ./examples/rows
package main
