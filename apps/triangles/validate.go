package triangles

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// wedge is the pebble that asks the lowest of three vertices whether it has an arc to the highest. Both have one to the
// middle one.
type wedge[V distgraph.Index] struct{ Low, High, Middle V }

func (w wedge[V]) fingerprint() uint64 {
	return apps.Fold(uint64(w.Low)^uint64(w.Middle)<<32, uint64(w.High)^uint64(w.Middle)<<16)
}

// validator checks that each vertex is the middle one of as many triangles as wedges about it are closed by an arc: all
// vertices, if there are no more such wedges than affordable for each arc of the graph, and otherwise a sample, without
// those vertices that have a large part of what is affordable.
type validator[V distgraph.Index] struct {
	*counting[V]
	seed      uint64
	wedges    *target.Target[wedge[V]]
	closed    *distgraph.Notes[V] // to the middle vertex
	out       []wedge[V]
	found     []uint64 // by place
	seen      apps.Tally
	recounted uint64
}

// affordable is how many wedges for each arc are checked.
const affordable = 4

const sendAtOnce = 512

func newValidator[V distgraph.Index](s *counting[V], seed uint64, name func(what string) string) *validator[V] {
	c := &validator[V]{counting: s, seed: seed, out: make([]wedge[V], 0, sendAtOnce)}
	c.wedges = target.New(s.g.Rank, name("wedges"), s.g.Owner,
		target.Keys(func(vs []wedge[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Low)
			}
		}),
		target.Batch(func(vs []wedge[V]) {
			for _, w := range vs {
				isOwn := s.g.Owns(uint64(w.Low))
				if c.seen.Take(w.fingerprint(), isOwn); isOwn && s.Leads(s.g, w.Low-s.first, w.High) {
					c.closed.Send(w.Middle, 1)
				}
			}
			c.closed.Flush()
		}))
	c.closed = distgraph.NewNotes(s.g, name("closed"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			c.found[n.Vertex-s.first] += uint64(n.Value)
		}
	})
	return c
}

// about is how many wedges have a vertex as their middle one.
func (c *validator[V]) about(v V) uint64 {
	up := uint64(len(c.upwards.Row(v)))
	return up * (uint64(c.degree(v)) - up)
}

// picker returns what tells whether a vertex is checked. All ranks call it.
func (c *validator[V]) picker() (func(v V) bool, error) {
	type sums struct{ Wedges, Arcs uint64 }
	own := sums{Arcs: c.Arcs()}
	for v := V(0); v < c.local; v++ {
		own.Wedges += c.about(v)
	}
	all, err := pebble.AllReduce(c.g.Rank, own, func(a, b sums) sums {
		return sums{a.Wedges + b.Wedges, a.Arcs + b.Arcs}
	})
	budget := affordable * all.Arcs
	if all.Wedges <= budget {
		return func(V) bool { return true }, err
	}
	part := uint64(float64(budget) / float64(all.Wedges) * math.MaxUint32)
	return func(v V) bool {
		return c.about(v) <= budget/64 && apps.Mix(c.seed^apps.Mix(uint64(c.first+v)))>>32 < part
	}, err
}

func (c *validator[V]) run() (breaches distgraph.Breaches, err error) {
	picked, err := c.picker()
	if err != nil {
		return breaches, err
	}
	c.found, c.seen, c.recounted = make([]uint64, c.local), apps.Tally{}, 0
	before := c.closed.Tally()
	err = c.g.Rank.Epoch(func() error {
		for v := V(0); v < c.local; v++ {
			if picked(v) {
				c.recounted++
				c.ask(v)
			}
		}
		c.flush()
		return nil
	}, pebble.Depth(2), pebble.Named("validate"))
	if err == nil {
		err = c.seen.Add(c.closed.Tally().Since(before)).Check(c.g.Rank, "count the triangles again")
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

// ask sends all wedges about a vertex.
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
			w := wedge[V]{low, high, c.first + v}
			c.seen.Send(w.fingerprint())
			if c.out = append(c.out, w); len(c.out) == cap(c.out) {
				c.flush()
			}
		}
	}
}

func (c *validator[V]) flush() {
	c.wedges.SendAll(c.out)
	c.out = c.out[:0]
}

// The one rule.
const countWrong = 0

// broken has its text, which is filled with two vertices and two numbers.
var broken = []string{
	countWrong: "vertex %[1]d was the middle one of %[3]v triangles, and is of %[4]v",
}
