// Command trace follows three pebbles through a simulated job of 4 ranks under a hypercube: it prints the header of
// every frame with pebbles as it is sent and taken, and where handlers run. docs/guide-network.md walks through what it
// prints.
package main
