package jaccard

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// validator checks that the ends of an edge have exactly one common neighbour for each wedge from the lower end that an
// arc to the higher end closes. It checks all edges if the number of such wedges is affordable for the arcs of the
// graph, and a sample otherwise.
type validator[V distgraph.Index] struct {
	*matching[V]
	seed      uint64
	sample    distgraph.Sample
	wedges    *distgraph.Wedges[V]
	found     []V // in the order of Heads
	recounted uint64
}

// affordable is the number of wedges checked per arc.
const affordable = 4

func newValidator[V distgraph.Index](
	s *matching[V], p *distgraph.Part[V], seed uint64, name func(what string) string,
) *validator[V] {
	c := &validator[V]{matching: s, seed: seed}
	c.wedges = distgraph.NewWedges(s.g, p.Rows, name, func(w distgraph.Wedge[V]) distgraph.Note[V] {
		return distgraph.Note[V]{Vertex: w.Head, Value: w.Middle}
	}, func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			v := n.Vertex - s.first
			if at, found := slices.BinarySearch(s.Row(v), n.Value); found {
				c.found[s.Offsets[v]+uint64(at)]++
			}
		}
	})
	return c
}

// picked reports whether to check the pair of a lower vertex, whose degree is given, and a higher one.
func (c *validator[V]) picked(low, degree, high V) bool {
	return c.sample.Has(apps.Fold(uint64(low), uint64(high)), uint64(degree))
}

// draw chooses the pairs to check. All ranks call it.
func (c *validator[V]) draw() (err error) {
	cost := uint64(0)
	for v := V(0); v < c.local; v++ {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			if c.leadsUp(v, at) {
				cost += uint64(c.degree(v))
			}
		}
	}
	c.sample, err = distgraph.NewSample(c.g.Rank, c.seed, cost, affordable*uint64(len(c.Heads)))
	return err
}

func (c *validator[V]) run() (breaches distgraph.Breaches, err error) {
	if err := c.draw(); err != nil {
		return breaches, err
	}
	c.found, c.recounted = make([]V, len(c.Heads)), 0
	before := c.wedges.Tally()
	err = c.g.Rank.Epoch(func() error {
		for v := V(0); v < c.local; v++ {
			c.ask(v)
		}
		c.wedges.Flush()
		return nil
	}, pebble.Depth(2), pebble.Named("validate"))
	if err == nil {
		err = c.wedges.Tally().Since(before).Check(c.g.Rank, "count common neighbours again")
	}
	if err != nil {
		return breaches, err
	}
	c.each(func(v V, at uint64) {
		low := c.Heads[at]
		if !c.picked(low, c.ghosts.Values[c.ghosts.Slots[at]], c.first+v) {
			return
		}
		c.recounted++
		if c.found[at] != c.common[at] {
			breaches.Add(countWrong, uint64(low), uint64(c.first+v), float64(c.common[at]), float64(c.found[at]))
		}
	})
	c.found = nil
	c.recounted, err = apps.Sum(c.g.Rank, c.recounted)
	return breaches, err
}

// ask sends all wedges from this rank's v-th vertex, for each picked pair with this vertex as the lower end.
func (c *validator[V]) ask(v V) {
	row := c.Row(v)
	for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
		high := c.Heads[at]
		if !c.leadsUp(v, at) || !c.picked(c.first+v, c.degree(v), high) {
			continue
		}
		for _, w := range row {
			if w != high {
				c.wedges.Send(distgraph.Wedge[V]{Asked: w, Head: high, Middle: c.first + v})
			}
		}
	}
}

// The only rule.
const countWrong = 0

// Rules has the text of the rule, for [distgraph.Graph.Describe]. It formats two vertices and two numbers.
var Rules = []string{
	countWrong: "vertices %d and %d had %v neighbours in common, and have %v",
}
