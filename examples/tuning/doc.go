// Tuning is a program of many epochs that tunes its topology and coalescing factor: rumours spread through a random
// graph, round after round, with an epoch each. It prints its choice and the reason. See docs/guide-simulation.md.
//
//	go run ./examples/tuning
//	PEBBLES_RANKS=8 go run ./examples/tuning
package main
