// Package distgraph spreads a graph over the ranks of a job: what the graph applications have in common.
//
// [Build] reads or makes a graph and sends each arc to the owner of its tail, by pebbles: vertices in blocks, each with
// the arcs that leave it, in compressed sparse rows, with weights if the [Source] asks for them. Where it pays, a rank
// keeps its vertices in the order of their degrees (see [Order]). What is lost on the way is noticed: each rank
// accounts for the arcs that it sends and is given.
//
// A vertex has an index, 0 to n-1, and an id, which is what the graph's file calls it. Ranks deal in indices; only rank
// 0 knows the ids of a file. Between the two is the vertex's number, its place in the source: the same as the index,
// unless the graph is ordered by degree.
package distgraph
