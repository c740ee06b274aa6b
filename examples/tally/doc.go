// Tally is a histogram of numbers that all ranks draw: its counts are a distributed array, and each rank adds to them
// by AddStart, which needs no answer. No rank polls.
//
//	go run ./examples/tally
package main
