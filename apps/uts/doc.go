// Package uts is the Unbalanced Tree Search benchmark on Active Pebbles for Go (Olivier and others, UTS: An Unbalanced
// Tree Search Benchmark, 2006): count the nodes of a tree that nobody knows before it is searched. How many children a
// node has follows from a SHA-1 hash that it got from its parent, so any rank can search any part of the tree, and no
// rank knows how much is in which part.
//
// A node to be searched is a task, which a rank without work may steal (package task). A task searches depth-first, and
// after some hundred nodes hands on what it has found and not searched. With [Config.InMemory] the tree is built in the
// memory of all ranks first, and searched there by tasks that read one vertex after the other through delegates, or by
// pebbles: UTS-Mem of Grappa (Nelson and others, 2014, section 7.2).
package uts
