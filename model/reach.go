package model

import "github.com/activepebbles/pebbles/route"

// Reach is how far pebbles travel over a topology, and to how many ranks one sends directly.
type Reach struct {
	Neighbors int     // most of a rank
	MeanHops  float64 // over all pairs of different ranks
	Exact     bool    // otherwise from the routes to 16 ranks, and from as many ranks as have a million neighbours
}

// ReachOf counts that of a topology as a job has it, which must be sound. Up to 512 ranks, and where the topology
// tells, it is exact. It takes 20 bytes of memory for each rank. The error is about a route that does not arrive.
func ReachOf(t route.Topology) (Reach, error) {
	n := t.Ranks()
	s := survey{Shape: Shape{Ranks: n}, t: t}
	r := Reach{Exact: n <= exactRanks}
	if d, ok := t.(route.Degreed); ok {
		r.Neighbors = d.Degree()
	} else {
		s.ask(func(int, []int, float64) {})
		r.Neighbors = s.Neighbors
	}
	if hops, ok := route.Hops(t); ok && hops == 1 {
		r.MeanHops, r.Exact = min(1, float64(n-1)), true
		return r, nil
	}
	s.walk = newWalk(n)
	routes := samples
	if r.Exact {
		routes = n
	}
	for i := range routes {
		dest := i
		if !r.Exact {
			dest = s.sample(i)
		}
		if err := s.walk.to(t, dest); err != nil {
			return r, err
		}
		hops := 0
		for _, far := range s.walk.far {
			hops += int(far)
		}
		r.MeanHops += float64(hops) / float64(routes) / max(1, float64(n-1))
	}
	return r, nil
}
