// Pipeline has three stages, each on a third of the ranks, that work on three batches at the same time: the first makes
// numbers, the second squares them, the third adds them up. Teams of two stages each hand the batches over.
//
//	go run ./examples/pipeline
//
// docs/guide-choosing.md walks through it.
package main
