// Command topology defines a synthetic topology: ranks in a square grid. Every rank sends one pebble to each rank, and
// rank 0 prints the number of pebbles that passed a hop. docs/guide-network.md walks through it.
package main
