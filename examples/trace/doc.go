// Command trace follows three pebbles through a simulated job of 4 ranks under a hypercube: it prints the header of
// every frame with pebbles as it is sent and received, and the ranks of handlers. docs/guide-network.md walks through
// the output.
package main
