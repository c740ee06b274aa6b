// Command routing computes the cost of a job's synthetic network by formula, without running it: the buffers, hops and
// messages of each topology and each detector. It also adds a user's topology and detector to Active Pebbles, and
// routes around a link. docs/guide-network.md walks through it.
package main
