package route

import (
	"fmt"
	"slices"
)

// Hops returns the bound of a route's hops, if the topology promises one; at least 1, also for a single rank.
func Hops(t Topology) (hops int, ok bool) {
	if b, ok := t.(Bounded); ok {
		return max(1, b.Hops()), true
	}
	return 0, false
}

// Incoming lists the ranks that may send to rank at: those that have it as a neighbour. Cost: that of Neighbors(at) for
// the ready-made topologies, which are symmetric; for others, that of the neighbours of all ranks.
func Incoming(t Topology, at int) []int {
	if Proven(t) {
		return t.Neighbors(at)
	}
	var all []int
	for r := range t.Ranks() {
		if r != at && slices.Contains(t.Neighbors(r), at) {
			all = append(all, r)
		}
	}
	return all
}

// MessageCounts returns, for each number of hops, the number of ranks at that distance from rank from: the hops are the
// messages that carry a pebble there (TRAM, section V.B and Table II). The rank itself is at 0. The topology must be
// sound (see [Check]). Cost: the hops of all routes from this rank.
func MessageCounts(t Topology, from int) []int {
	var counts []int
	for dest := range t.Ranks() {
		hops := 0
		for here := from; here != dest; hops++ {
			if hops >= t.Ranks() {
				panic(fmt.Sprintf("route: topology %q: a pebble from rank %d never arrives at rank %d: check it first",
					t.Name(), from, dest))
			}
			here = t.Next(here, dest)
		}
		for hops >= len(counts) {
			counts = append(counts, 0)
		}
		counts[hops]++
	}
	return counts
}
