package route

import (
	"fmt"
	"slices"
)

// Shape is what [Check] found out about a topology.
type Shape struct {
	Ranks        int
	Diameter     int     // hops on the longest route
	NeighborsMax int     // most neighbours of one rank
	MeanHops     float64 // over all ordered pairs of different ranks
}

// Check proves a topology over all pairs: every next hop is a neighbour, and every route arrives without a loop. It costs
// O(P²) time and O(P) memory, shared out over the ranks of a job by [CheckFrom].
func Check(t Topology) (Shape, error) {
	s := Shape{Ranks: t.Ranks()}
	hops := 0
	for at := range t.Ranks() {
		one, sum, err := checkFrom(t, at)
		if err != nil {
			return s, err
		}
		s.Diameter = max(s.Diameter, one.Diameter)
		s.NeighborsMax = max(s.NeighborsMax, one.NeighborsMax)
		hops += sum
	}
	if s.Ranks > 1 {
		s.MeanHops = float64(hops) / float64(s.Ranks*(s.Ranks-1))
	}
	return s, nil
}

// CheckFrom proves the routes that start at one rank. All ranks together prove the topology.
func CheckFrom(t Topology, at int) (Shape, error) {
	s, sum, err := checkFrom(t, at)
	if s.Ranks > 1 {
		s.MeanHops = float64(sum) / float64(s.Ranks-1)
	}
	return s, err
}

func checkFrom(t Topology, at int) (s Shape, hops int, err error) {
	s.Ranks = t.Ranks()
	known := neighbors{t: t, of: map[int][]int{}}
	own, err := known.at(at)
	if err != nil {
		return s, 0, err
	}
	s.NeighborsMax = len(own)
	for dest := range s.Ranks {
		if dest == at {
			continue
		}
		n, err := known.walk(at, dest)
		if err != nil {
			return s, 0, err
		}
		s.Diameter = max(s.Diameter, n)
		hops += n
	}
	return s, hops, nil
}

// neighbors remembers the neighbours of ranks, sorted.
type neighbors struct {
	t  Topology
	of map[int][]int
}

func (k neighbors) at(at int) ([]int, error) {
	if known, ok := k.of[at]; ok {
		return known, nil
	}
	sorted := slices.Sorted(slices.Values(k.t.Neighbors(at)))
	for i, n := range sorted {
		switch {
		case n < 0 || n >= k.t.Ranks():
			return nil, k.errorf("rank %d has neighbour %d, ranks are 0 to %d", at, n, k.t.Ranks()-1)
		case n == at:
			return nil, k.errorf("rank %d is its own neighbour", at)
		case i > 0 && sorted[i-1] == n:
			return nil, k.errorf("rank %d lists neighbour %d twice", at, n)
		}
	}
	k.of[at] = sorted
	return sorted, nil
}

// walk follows the route from at to dest. A route without a loop has fewer hops than there are ranks.
func (k neighbors) walk(at, dest int) (hops int, err error) {
	for here := at; here != dest; hops++ {
		if hops >= k.t.Ranks() {
			return hops, k.errorf("a pebble from rank %d never arrives at rank %d: it is at rank %d after %d hops", at, dest, here, hops)
		}
		near, err := k.at(here)
		if err != nil {
			return hops, err
		}
		next := k.t.Next(here, dest)
		if _, ok := slices.BinarySearch(near, next); !ok {
			return hops, k.errorf("the next hop from rank %d to rank %d is %d, which is no neighbour of rank %d", here, dest, next, here)
		}
		here = next
	}
	return hops, nil
}

func (k neighbors) errorf(format string, args ...any) error {
	return fmt.Errorf("route: topology %q: "+format, append([]any{k.t.Name()}, args...)...)
}
