// Package sssp finds shortest paths from one vertex to all others in a distributed graph with weights, by the rules of
// Graph500's second kernel: many roots, each search timed on its own, each tree of paths checked.
//
// It is label-correcting and asynchronous: a whole search is one epoch. A pebble offers a vertex a distance and a
// parent; a vertex that takes the offer waits in a bucket, with others about as near, to make offers of its own along
// its arcs. A rank empties its nearest bucket first, as idle work, whenever no offers are left to be handled: the order
// of delta-stepping (Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, 2003), but each rank on
// its own, and nobody waits for all. An offer that comes late corrects what was too far.
//
// [Run] does all of it and reports; [Serial], which is Dijkstra's algorithm, is the plain twin. Distances are sums of
// float64 from the root on, rounded at each step. Rounding keeps order, so the shortest distances do not depend on who
// found them when, and both agree in each bit.
//
// Searches and their check use the same runtime, so what it loses might be missed by both. Therefore every rank
// accounts for the pebbles that it sends and is given, as package bfs says.
package sssp
