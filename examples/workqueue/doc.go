// Workqueue makes all ranks take pieces of work of unequal size from one queue, which they share under a lock: they sum
// the divisors of numbers. It is the second program of docs/guide-memory.md.
//
//	go run ./examples/workqueue
package main
