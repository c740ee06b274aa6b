// Package bfs is breadth-first search on a distributed graph with Active Pebbles (section 4.4 of the paper), by the rules of
// Graph500: many roots, each search timed on its own, each tree checked by five rules.
//
// [Build] spreads a graph over the ranks by pebbles: vertices in blocks, each with the arcs that leave it, in compressed
// sparse rows. [NewSearch] registers one of two kernels on it:
//
//   - [ByLevel] goes level by level, one epoch each. A pebble (child, parent) visits a vertex; the first one makes it a
//     member of the next level.
//   - [Async] is the paper's handler: a pebble offers a vertex a level and a parent, and a vertex that takes the offer sends
//     offers of its own, from the handler, all in one epoch. Levels are corrected as better offers come.
//
// [Run] does all of it and reports; [Serial] is the plain twin.
//
// A vertex has an index, 0 to n-1, and an id, which is what the graph's file calls it. Ranks deal in indices; only rank 0
// knows the ids of a file.
package bfs
