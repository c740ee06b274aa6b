// Package route holds the synthetic topologies of Active Pebbles: the ranks that a rank sends to directly, and the next
// of them on the way to a destination (active routing; Active Pebbles, section 3.4).
//
// A topology is a pure function of rank numbers. It trades hops for buffers: a rank keeps one coalescing buffer for
// each neighbour, P-1 of them when it sends directly and about log2 P on a hypercube. Programs can use any type that
// implements [Topology]; [Check] proves that it is sound before a job uses it.
//
//	name          neighbours       hops             frames, all-to-all   stages
//	direct        P-1              1                P(P-1)               1
//	hypercube     log2 P           log2 P           P log2 P             log2 P, or 1 more
//	mesh          sum of (s-1)     N                P times sum of (s-1) N, or N+1
//	torus         2N               sum of s/2       P times sum of (s-1) none
//	ring          2                P/2              P(P-1)               none
//	tree          log2 P           2 log2 P         2(P-1)               2 log2 P
//	two-stage     c-1 + n-1        2                P(c-1 + n-1)         2
//	three-stage   c-1 + n/c        3                2P(c-1) + n(n-1)     none
//	hosts:        c-1 + inner      1 + inner        P(c-1 + inner)       1 + inner
//
// N is the number of dimensions and s the size of each; n is the number of processes and c the cores of each, or of
// each host; inner is the topology between hosts. An all-to-all is one pebble from each rank to each, in the fewest
// frames. With stages ([Staged]) that is one frame per link, since a rank can tell when all pebbles for a link have
// arrived.
//
// Every ready-made topology is symmetric: a rank's neighbours have that rank as a neighbour, and the way to a neighbour
// is one hop.
package route
