// Command topology brings its own synthetic topology to Active Pebbles: ranks in a square grid. Every rank sends one
// pebble to each rank, and rank 0 tells how many of them passed a hop. docs/guide-network.md walks through it.
package main
