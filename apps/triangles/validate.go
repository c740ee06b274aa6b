package triangles

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// validator checks that each vertex is the middle one of exactly one triangle for each closed wedge around it. It
// checks all vertices if the number of such wedges is affordable for the arcs of the graph. Otherwise it checks a
// sample, without vertices that take a large part of the budget.
type validator[V distgraph.Index] struct {
	*counting[V]
	wedges    *distgraph.Wedges[V]
	found     []uint64 // by place
	recounted uint64
}

// affordable is the number of wedges checked per arc.
const affordable = 4

func newValidator[V distgraph.Index](s *counting[V], name func(what string) string) *validator[V] {
	c := &validator[V]{counting: s}
	c.wedges = distgraph.NewWedges(s.g, s.Rows, name, func(w distgraph.Wedge[V]) distgraph.Note[V] {
		return distgraph.Note[V]{Vertex: w.Middle, Value: 1}
	}, func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			c.found[n.Vertex-s.first] += uint64(n.Value)
		}
	})
	return c
}

// about returns the number of wedges whose middle vertex by degree is v.
func (c *validator[V]) about(v V) uint64 {
	up := uint64(len(c.upwards.Row(v)))
	return up * (uint64(c.degree(v)) - up)
}

// sample chooses the vertices to check. All ranks call it.
func (c *validator[V]) sample() (func(v V) bool, error) {
	own := uint64(0)
	for v := V(0); v < c.local; v++ {
		own += c.about(v)
	}
	sample, err := distgraph.NewSample(c.g.Rank, c.config.Seed, own, affordable*uint64(len(c.Heads)))
	return func(v V) bool { return sample.Has(uint64(c.first+v), c.about(v)) }, err
}

func (c *validator[V]) run() (breaches distgraph.Breaches, err error) {
	picked, err := c.sample()
	if err != nil {
		return breaches, err
	}
	c.found, c.recounted = make([]uint64, c.local), 0
	before := c.wedges.Tally()
	err = c.g.Rank.Epoch(func() error {
		for v := V(0); v < c.local; v++ {
			if picked(v) {
				c.recounted++
				c.ask(v)
			}
		}
		c.wedges.Flush()
		return nil
	}, pebble.Depth(2), pebble.Named("validate"))
	if err == nil {
		err = c.wedges.Tally().Since(before).Check(c.g.Rank, "count the triangles again")
	}
	if err != nil {
		return breaches, err
	}
	for v := V(0); v < c.local; v++ {
		if picked(v) && c.found[v] != c.middles[v] {
			breaches.Add(countWrong, uint64(c.first+v), 0, float64(c.middles[v]), float64(c.found[v]))
		}
	}
	c.recounted, err = apps.Sum(c.g.Rank, c.recounted)
	return breaches, err
}

// ask sends all wedges around a vertex.
func (c *validator[V]) ask(v V) {
	up := c.upwards.Row(v)
	if len(up) == 0 {
		return
	}
	degree, begin := c.degree(v), c.Offsets[v]
	for i, low := range c.Row(v) {
		if c.isHigher(low, c.ghosts.Slots[begin+uint64(i)], c.first+v, degree) {
			continue
		}
		for _, high := range up {
			c.wedges.Send(distgraph.Wedge[V]{Asked: low, Head: high, Middle: c.first + v})
		}
	}
}

// The rules.
const (
	countWrong = iota
	cornersWrong
	edgesWrong
)

// Rules has a text for each rule, for [distgraph.Graph.Describe]. The texts format two vertices and two numbers.
var Rules = []string{
	countWrong:   "vertex %[1]d was the middle one of %[3]v triangles, and is of %[4]v",
	cornersWrong: "vertex %[1]d was in %[3]v triangles, and is in %[4]v",
	edgesWrong:   "between neighbours of vertex %[1]d %[3]v edges were found, and there are %[4]v",
}
