// Lookup is a map that is spread over all ranks: handlers fill it, by pebbles, and tasks look up keys, many with one
// wait. It is the second program of docs/guide-tasks.md.
//
//	go run ./examples/lookup
package main
