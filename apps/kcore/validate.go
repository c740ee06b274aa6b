package kcore

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Validate implements Kernel. The numbers start as degrees, which are never below the core numbers. In an iteration
// each vertex takes the largest number h such that h neighbours have h or more. The fixed point is the core numbers.
func (s *peeling[V]) Validate() (breaches distgraph.Breaches, err error) {
	ghosts, err := distgraph.NewGhosts[V, V](s.g, s.Rows, s.g.Kernel("kcore check"))
	if err != nil {
		return breaches, err
	}
	for v := V(0); v < s.local; v++ {
		ghosts.Values[v] = V(s.Offsets[v+1] - s.Offsets[v])
	}
	var counts []uint64
	for changed := uint64(1); changed > 0; {
		if err := ghosts.Exchange(); err != nil {
			return breaches, err
		}
		if counts, changed, err = s.settle(ghosts, counts); err != nil {
			return breaches, err
		}
	}
	for v, core := range s.left {
		if want := ghosts.Values[v]; core != want {
			breaches.Add(coreWrong, uint64(s.first)+uint64(v), 0, float64(core), float64(want))
		}
	}
	return breaches, ghosts.Tally().Check(s.g.Rank, "check the core numbers")
}

// settle is an iteration. It returns the number of vertices of all ranks that it has changed.
func (s *peeling[V]) settle(ghosts *distgraph.Ghosts[V, V], counts []uint64) (_ []uint64, changed uint64, err error) {
	values := ghosts.Values
	for v := V(0); v < s.local; v++ {
		slots := ghosts.Slots[s.Offsets[v]:s.Offsets[v+1]]
		var h V
		if h, counts = hIndex(values, slots, values[v], counts); h != values[v] {
			values[v] = h
			changed++
		}
	}
	changed, err = apps.Sum(s.g.Rank, changed)
	return counts, changed, err
}

// hIndex returns the largest number h, at most most, such that h of the values at the given slots are h or more. counts
// is scratch memory; it returns counts for the next call.
func hIndex[V distgraph.Index](values, slots []V, most V, counts []uint64) (V, []uint64) {
	counts = append(counts[:0], make([]uint64, most+1)...)
	for _, slot := range slots {
		counts[min(values[slot], most)]++
	}
	for h, above := most, uint64(0); h > 0; h-- {
		if above += counts[h]; above >= uint64(h) {
			return h, counts
		}
	}
	return 0, counts
}

// The only rule.
const coreWrong = 0

// Rules has the text of the rule, for [distgraph.Graph.Describe]. It formats two vertices and two numbers.
var Rules = []string{
	coreWrong: "vertex %[1]d has the core number %[3]v, and %[4]v by the numbers of its neighbours",
}
