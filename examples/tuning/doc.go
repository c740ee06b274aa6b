// Tuning is a program of many epochs that finds its topology and coalescing factor itself: rumours that go through a
// random graph, round after round, with an epoch each. It prints what it chose and why. See docs/guide-simulation.md.
//
//	go run ./examples/tuning
//	PEBBLES_RANKS=8 go run ./examples/tuning
package main
