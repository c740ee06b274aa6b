// Tally is a histogram of numbers that all ranks draw: its counts are a distributed array, and each rank adds to them
// by AddStart, which wants no answer. Nobody's rank attends.
//
//	go run ./examples/tally
package main
