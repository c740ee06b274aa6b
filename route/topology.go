package route

import (
	"fmt"
	"math"
)

// Topology defines the routes of pebbles between the ranks of a job. All ranks must use equal topologies. Many
// goroutines may call its methods at once, so methods must not change shared data.
type Topology interface {
	// Name returns the name for flags, logs and results.
	Name() string
	// Ranks returns the number of ranks that the topology connects.
	Ranks() int
	// Neighbors returns the ranks that rank at may send to, each once, without itself. The caller keeps the slice.
	Neighbors(at int) []int
	// Next returns the neighbour of at for a pebble to rank dest. It is never called with at == dest.
	Next(at, dest int) int
}

// Constructor makes a topology for a number of ranks. It panics with the reason if it can't connect that number.
type Constructor func(ranks int) Topology

// Router is a topology that computes many next hops at once. Slots writes into slots[i] the index in Neighbors(at) of
// the next hop to dests[i], and len(Neighbors(at)) if dests[i] is at itself. A rank can then route without memory for
// each destination. Other topologies are expanded to a table.
type Router interface {
	Topology
	Slots(at int, dests, slots []uint32)
}

// ranksMax is the limit of destinations of 32 bits, and of an int on every machine.
const ranksMax = math.MaxInt32

func mustRanks(name string, ranks int) {
	switch {
	case ranks <= 0:
		panic(fmt.Sprintf("route: %s over %d ranks: a job has at least one rank", name, ranks))
	case ranks > ranksMax:
		panic(fmt.Sprintf("route: %s over %d ranks: a job has at most %d ranks", name, ranks, ranksMax))
	}
}
