package route

import (
	"fmt"
	"math"
)

// Topology says how pebbles travel between the ranks of a job. All ranks must use equal topologies. Methods are called
// from many goroutines at once and must not change what they share.
type Topology interface {
	// Name is the name that flags, logs and results use.
	Name() string
	// Ranks is the number of ranks that the topology connects.
	Ranks() int
	// Neighbors lists the ranks that rank at may send to, each once, without itself. The caller keeps the slice.
	Neighbors(at int) []int
	// Next is the neighbour of at that a pebble for rank dest goes to. It is never called with at == dest.
	Next(at, dest int) int
}

// Constructor makes a topology for a number of ranks; it panics and says why when it can't connect so many.
type Constructor func(ranks int) Topology

// Router is a topology that computes many next hops at once. Slots writes into slots[i] the index in Neighbors(at) of
// the next hop to dests[i], and len(Neighbors(at)) where dests[i] is at itself. It lets a rank route without memory for
// each destination; a topology that lacks it is written out in a table.
type Router interface {
	Topology
	Slots(at int, dests, slots []uint32)
}

// ranksMax is what destinations of 32 bits can tell apart, and an int holds on every machine.
const ranksMax = math.MaxInt32

func mustRanks(name string, ranks int) {
	switch {
	case ranks <= 0:
		panic(fmt.Sprintf("route: %s over %d ranks: a job has at least one rank", name, ranks))
	case ranks > ranksMax:
		panic(fmt.Sprintf("route: %s over %d ranks: a job has at most %d ranks", name, ranks, ranksMax))
	}
}
