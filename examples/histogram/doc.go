// Histogram counts random numbers in a table that is spread over all ranks, the fast way: batches, keys that are bits
// of their pebbles, huge pages, and a handler that prefetches. It is the program of docs/guide-speed.md.
//
//	go run ./examples/histogram
package main
