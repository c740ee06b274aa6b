// Package centrality computes the betweenness centrality of the vertices of a distributed graph, from some sources: for
// each vertex, the sum over all others and all sources of the share of the shortest paths from the source to the other
// that pass through (Brandes, A Faster Algorithm for Betweenness Centrality, 2001; Grappa's paper, section 7.2, has it
// as Bader and others made it parallel). Arcs count 1 each; duplicates and self-loops change nothing.
//
// [NewKernel] registers one of two kernels on a graph. Each goes out from a source level by level and counts the
// shortest paths to each vertex, and comes back from the last level to the first, summing up what depends on each:
//
//   - [ByLevel] sends pebbles. A rank adds up first what its own vertices offer to one of another rank, and sends one pebble for all of them; on
//     the way back the owner answers those ranks whose offers have counted, with one number each, and they look at their own memory alone.
//   - [Tasks] is Grappa's: parallel loops over each level, and for each arc an operation at the owner of its head, which the task waits for.
//
// [Run] does all of it and reports; [Serial] is the plain twin. What a kernel has found is checked by other means than
// it was found: each arc carries the paths of its tail to its head and brings back what depends on it, and sums and
// levels must agree (see Kernel.Validate). Sums of float64 depend on their order in the last digits. So sums are
// compared with a tolerance, relative to their size ([Tolerance]); counts of paths are exact as long as they are below
// 2^53.
package centrality
