// Package bfs is breadth-first search on a distributed graph with Active Pebbles (section 4.4 of the paper), by the
// rules of Graph500: many roots, each search timed on its own, each tree checked by five rules.
//
// Package distgraph spreads a graph over the ranks. [NewSearch] registers one of four kernels on it:
//
//   - [ByLevel] goes level by level, one epoch each. A pebble (child, parent) visits a vertex; the first one makes it a
//     member of the next level.
//   - [Direction] goes level by level, too, and chooses for each the cheaper direction (Beamer, Asanović and Patterson,
//     Direction-Optimizing Breadth-First Search, SC 2012). Along arcs it does what ByLevel does. Against them, pebbles carry the
//     frontier to all ranks as a bitmap, and each vertex that is not reached looks for a parent in it.
//   - [Async] is the paper's handler: a pebble offers a vertex a level and a parent, and a vertex that takes the offer sends
//     offers of its own, all in one epoch. Levels are corrected as better offers come, and low levels go first.
//   - [Tasks] goes level by level as Grappa does: tasks ask for each arc whether its head has a parent, and wait.
//
// Searches and their check use the same runtime, so what it loses might be missed by both. Therefore every rank
// accounts for the pebbles that it sends and is given, in the building, the searches and the check: how many they are,
// whether their vertices are its own, and the sum of a fingerprint of each. In a search with a reduction cache that
// merges, the fingerprints say nothing, and the rest must do: a visit that is lost while another comes twice is noticed
// if the tree is wrong.
//
// [Run] does all of it and reports; [Serial] is the plain twin.
package bfs
