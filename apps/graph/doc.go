// Package graph gives the graph applications of Active Pebbles their input and their judges: readers of public graph
// files, generators of synthetic graphs, and plain serial twins of what the distributed programs compute.
//
// Every graph arrives as a stream of [Edge] values whose ends are dense vertex indices 0..n-1:
//
//   - [Open] reads SNAP edge lists, PACE .gr files, Matrix Market coordinate files and METIS adjacency files, plain or
//     compressed with gzip. It holds one buffer of the file and, for formats with sparse ids, the table of ids; it never
//     allocates by a number that it merely read in the file.
//   - [Kronecker] and [ErdosRenyi] make any slice of their edges from nothing but seed and position, so each rank makes
//     its own share, and the graph is the same for any number of ranks.
//
// [CSR], [BFS], [Summarize], [TraversedEdges] and [Validate] are the serial side: linear time, no cleverness, one
// goroutine. They state what a correct distributed result looks like.
//
// The package knows nothing of ranks or pebbles. It opens files, and touches neither the network nor the clock.
package graph
