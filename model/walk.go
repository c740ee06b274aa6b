package model

import (
	"fmt"

	"github.com/activepebbles/pebbles/route"
)

// walk follows the routes of all ranks to one. Routes to a rank form a tree: each hop has one next, so a call of Next
// for each rank tells all of them.
type walk struct {
	next  []int32
	far   []int32   // hops to go; -1: not known yet
	order []int32   // the ranks, the farthest first
	carry []float64 // routes that pass a rank or start there
	path  []int32
}

func newWalk(ranks int) *walk {
	return &walk{
		next: make([]int32, ranks), far: make([]int32, ranks), order: make([]int32, ranks),
		carry: make([]float64, ranks),
	}
}

// to follows the routes to dest. Afterwards order, next and carry say what each rank sends there.
func (w *walk) to(t route.Topology, dest int) error {
	longest := int32(0)
	for at := range w.next {
		w.far[at], w.carry[at], w.next[at] = -1, 1, -1
		if at != dest {
			w.next[at] = int32(t.Next(at, dest))
		}
	}
	w.far[dest] = 0
	for at := range w.next {
		if err := w.measure(int32(at)); err != nil {
			return fmt.Errorf("model: topology %q: the route from rank %d to rank %d does not arrive: check it first",
				t.Name(), at, dest)
		}
		longest = max(longest, w.far[at])
	}
	w.sort(int(longest))
	for _, at := range w.order {
		if next := w.next[at]; next >= 0 {
			w.carry[next] += w.carry[at]
		}
	}
	return nil
}

type lostError struct{}

func (lostError) Error() string { return "lost" }

// measure finds how far a rank is, and all on its way.
func (w *walk) measure(at int32) error {
	w.path = w.path[:0]
	for ; w.far[at] < 0; at = w.next[at] {
		if len(w.path) >= len(w.next) {
			return lostError{}
		}
		w.path = append(w.path, at)
	}
	for far := w.far[at]; len(w.path) > 0; w.path = w.path[:len(w.path)-1] {
		far++
		w.far[w.path[len(w.path)-1]] = far
	}
	return nil
}

// sort puts the farthest ranks first, by counting.
func (w *walk) sort(longest int) {
	starts := make([]int32, longest+2)
	for _, far := range w.far {
		starts[longest-int(far)+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for at, far := range w.far {
		i := longest - int(far)
		w.order[starts[i]] = int32(at)
		starts[i]++
	}
}
