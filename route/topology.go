package route

import (
	"fmt"
	"sort"
	"strings"
)

// Topology says how pebbles travel between the ranks of a job. All ranks must use equal topologies. Methods are called
// from many goroutines at once and must not change what they share.
type Topology interface {
	// Name is the word that flags, logs and results use.
	Name() string
	// Ranks is the number of ranks that the topology connects.
	Ranks() int
	// Neighbors lists the ranks that rank at may send to, each once, without itself. The caller keeps the slice.
	Neighbors(at int) []int
	// Next is the neighbour of at that a pebble for rank dest goes to. It is never called with at == dest.
	Next(at, dest int) int
}

// Constructor makes a topology for a number of ranks; it panics with words that say why when it can't connect so many.
type Constructor func(ranks int) Topology

// Router is a topology that computes many next hops at once. Slots writes into slots[i] the index in Neighbors(at) of the
// next hop to dests[i], and len(Neighbors(at)) where dests[i] is at itself. It lets a rank route without memory for each
// destination; a topology that lacks it is written out in a table.
type Router interface {
	Topology
	Slots(at int, dests, slots []uint32)
}

// named are the topologies that ByName knows.
var named = map[string]Constructor{
	"direct":    Direct,
	"hypercube": Hypercube,
}

// ByName finds a ready-made topology by the word that flags use.
func ByName(name string) (Constructor, error) {
	if c, ok := named[name]; ok {
		return c, nil
	}
	return nil, fmt.Errorf("route: unknown topology %q: use one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the words that [ByName] knows, in order.
func Names() []string {
	names := make([]string, 0, len(named))
	for name := range named {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func mustRanks(name string, ranks int) {
	if ranks <= 0 {
		panic(fmt.Sprintf("route: %s over %d ranks: a job has at least one rank", name, ranks))
	}
}
