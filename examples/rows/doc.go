// Rows is a matrix that is spread over all ranks by rows: each rank gives its first row to the rank above and its last
// to the one below, by PutRange, and then works on its own. It is the program of docs/guide-memory.md.
//
//	go run ./examples/rows
package main
