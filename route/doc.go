// Package route holds the synthetic topologies of Active Pebbles: which ranks a rank sends to directly, and which of them
// is next on the way to a destination (active routing; Active Pebbles, section 3.4).
//
// A topology is a pure function of rank numbers. It trades hops for buffers: a rank keeps one coalescing buffer for each
// neighbour, P-1 of them when it sends directly and about log2 P on a hypercube. Any type that implements [Topology] will
// do; [Check] proves that it is sound before a job uses it.
package route
