package distgraph

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// Wedge is the pebble that asks a vertex whether it has an arc to another vertex. Both are neighbours of a third,
// Middle, which sends it.
type Wedge[V Index] struct{ Asked, Head, Middle V }

func (w Wedge[V]) fingerprint() uint64 {
	return apps.Fold(uint64(w.Asked)^uint64(w.Middle)<<32, uint64(w.Head)^uint64(w.Middle)<<16)
}

// Wedges asks whether arcs close wedges, and accounts for the pebbles. A wedge is a chain of two arcs.
type Wedges[V Index] struct {
	target *target.Target[Wedge[V]]
	closed *Notes[V]
	tally  apps.Tally
	out    []Wedge[V]
}

const wedgesAtOnce = 512

// NewWedges registers targets that look for arcs in rows. All ranks call it, between epochs. For a wedge that is
// closed, it sends the note that note returns, and passes the notes that arrive to take, as NewNotes does. name names
// the targets, as Graph.Kernel makes them. note and take run in handlers.
func NewWedges[V Index](g *Graph, rows *Rows[V], name func(what string) string,
	note func(w Wedge[V]) Note[V], take func(vs []Note[V]),
) *Wedges[V] {
	s := &Wedges[V]{out: make([]Wedge[V], 0, wedgesAtOnce)}
	s.target = target.New(g.Rank, name("wedges"), g.Owner,
		target.Keys(func(vs []Wedge[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Asked)
			}
		}),
		target.Batch(func(vs []Wedge[V]) {
			for _, w := range vs {
				isOwn := g.Owns(uint64(w.Asked))
				if s.tally.Take(w.fingerprint(), isOwn); isOwn && rows.Leads(g, w.Asked-V(g.First), w.Head) {
					n := note(w)
					s.closed.Send(n.Vertex, n.Value)
				}
			}
			s.closed.Flush()
		}))
	s.closed = NewNotes(g, name("closed"), take)
	return s
}

// Send buffers a wedge, and sends the buffer when it is full. It is for an epoch's body, where it may run handlers.
func (s *Wedges[V]) Send(w Wedge[V]) {
	s.tally.Send(w.fingerprint())
	if s.out = append(s.out, w); len(s.out) == cap(s.out) {
		s.Flush()
	}
}

// Flush sends the buffered wedges. It is for an epoch's body, where it may run handlers.
func (s *Wedges[V]) Flush() {
	s.target.SendAll(s.out)
	s.out = s.out[:0]
}

// Tally returns this rank's tally of wedges and notes so far.
func (s *Wedges[V]) Tally() apps.Tally { return s.tally.Add(s.closed.Tally()) }
