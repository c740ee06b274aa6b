package distgraph

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// Note is a pebble that carries a number, often the index of another vertex, to a vertex.
type Note[V Index] struct{ Vertex, Value V }

func (n Note[V]) fingerprint() uint64 { return apps.Fold(uint64(n.Vertex), uint64(n.Value)) }

// Notes buffers notes, sends them to the owners of vertices, and accounts for them.
type Notes[V Index] struct {
	target *target.Target[Note[V]]
	tally  apps.Tally
	out    []Note[V]
	spare  []Note[V] // the buffer that is not in use
}

const notesAtOnce = 512

// NewNotes registers a target that passes the notes that arrive to take. All ranks call it, between epochs. take runs
// in handlers; notes that it sends by the same Notes leave when it has returned. It may change the batch, not keep it.
func NewNotes[V Index](g *Graph, name string, take func(vs []Note[V])) *Notes[V] {
	s := &Notes[V]{}
	s.target = target.New(g.Rank, name, g.Owner,
		target.Keys(func(vs []Note[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(func(vs []Note[V]) {
			own := vs[:0]
			for _, n := range vs {
				isOwn := g.Owns(uint64(n.Vertex))
				if s.tally.Take(n.fingerprint(), isOwn); isOwn {
					own = append(own, n)
				}
			}
			take(own)
			s.Flush()
		}))
	return s
}

// Send buffers a note, and sends the buffer when it is full. In an epoch's body it may run handlers.
func (s *Notes[V]) Send(vertex, value V) {
	n := Note[V]{vertex, value}
	s.tally.Send(n.fingerprint())
	if s.out = append(s.out, n); len(s.out) >= notesAtOnce {
		s.Flush()
	}
}

// Flush sends the buffered notes. In an epoch's body it may run handlers, which fill another buffer meanwhile.
func (s *Notes[V]) Flush() {
	if len(s.out) == 0 {
		return
	}
	out := s.out
	s.out, s.spare = s.spare, nil
	s.target.SendAll(out)
	s.spare = out[:0]
}

// Tally returns this rank's tally of the notes so far.
func (s *Notes[V]) Tally() apps.Tally { return s.tally }
