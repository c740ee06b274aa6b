// Command routing prices the synthetic network of a job by formula, without running it: the buffers, hops and messages
// that each topology and each detector costs. Beside that it brings a topology and a detector of its own to Active
// Pebbles, and routes around a link. docs/guide-network.md walks through it.
package main
