package distgraph

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/target"
)

// headsAtOnce lets a pebble fill a cache line in graphs with indices of 32 bits.
const headsAtOnce = 12

// piece is the pebble that carries some heads of a vertex's list to a rank. Length is the length of the whole list.
// Unused heads of the last piece are 0.
type piece[V Index] struct {
	To, Length uint32
	At         uint32 // position of the first of Heads in the list
	Tail       V
	Heads      [headsAtOnce]V
}

// fingerprint multiplies pairs of words, independently of each other.
func (p *piece[V]) fingerprint() (sum uint64) {
	place := apps.Fold(uint64(p.To)<<32|uint64(p.Length), uint64(p.At)^uint64(p.Tail)<<20)
	for i := 0; i < headsAtOnce; i += 2 {
		sum += apps.Fold(uint64(p.Heads[i])^place, uint64(p.Heads[i+1])+uint64(i))
	}
	return sum
}

// partial is a list that is incomplete.
type partial[V Index] struct {
	heads []V
	left  int // number of heads to come
}

// Lists sends lists of vertices, such as rows, in pieces to all other ranks that own certain vertices, and assembles
// the lists that arrive. The pieces of a list are sent one after the other, so that few lists are incomplete at a time.
// A rank stores these, and a number for each rank. It belongs to its rank's goroutine.
type Lists[V Index] struct {
	g       *Graph
	take    func(tail V, list []V)
	target  *target.Target[piece[V]]
	tally   apps.Tally
	sending []piece[V]
	turn    uint64   // number of lists so far
	sent    []uint64 // by rank: the turn of the last list sent to it
	open    map[V]*partial[V]
	spare   []*partial[V]
}

// NewLists registers a target that passes each list that arrives, with its vertex, to take. All ranks call it, between
// epochs. take runs in handlers, sends nothing by the same Lists, and does not keep the list.
func NewLists[V Index](g *Graph, name string, take func(tail V, list []V)) *Lists[V] {
	s := &Lists[V]{
		g: g, take: take, sending: make([]piece[V], 0, 128),
		sent: make([]uint64, g.Rank.Size()), open: map[V]*partial[V]{},
	}
	s.target = target.New(g.Rank, name, distribution.Ranks(g.Rank.Size()),
		target.Keys(func(vs []piece[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].To)
			}
		}),
		target.Batch(func(vs []piece[V]) {
			for i := range vs {
				p := &vs[i]
				isOwn := int(p.To) == g.Rank.ID()
				if s.tally.Take(p.fingerprint(), isOwn); isOwn {
					s.add(p)
				}
			}
		}))
	return s
}

// Send sends list, the list of tail, once to each other rank that owns some of the vertices in to. It buffers pieces
// and sends them when the buffer is full. An empty list is not sent. The slices may be reused when it returns. It is
// for an epoch's body, where it may run handlers. It costs a look at each vertex of to, and a copy for each rank.
func (s *Lists[V]) Send(tail V, to, list []V) {
	own := V(s.g.First)
	s.turn++
	for _, v := range to {
		if v-own < V(s.g.Local) {
			continue
		}
		if rank := s.g.Owner.Owner(uint64(v)); s.sent[rank] != s.turn {
			s.sent[rank] = s.turn
			s.sendTo(rank, tail, list)
		}
	}
}

func (s *Lists[V]) sendTo(rank int, tail V, list []V) {
	for at := 0; at < len(list); at += headsAtOnce {
		p := piece[V]{To: uint32(rank), Length: uint32(len(list)), At: uint32(at), Tail: tail}
		copy(p.Heads[:], list[at:])
		s.tally.Send(p.fingerprint())
		if s.sending = append(s.sending, p); len(s.sending) == cap(s.sending) {
			s.Flush()
		}
	}
}

// Flush sends the buffered pieces. Handlers send nothing, so that the buffer does not change meanwhile.
func (s *Lists[V]) Flush() {
	s.target.SendAll(s.sending)
	s.sending = s.sending[:0]
}

// Tally returns this rank's tally of the pieces so far.
func (s *Lists[V]) Tally() apps.Tally { return s.tally }

// add stores a piece. It passes a complete list to take.
func (s *Lists[V]) add(p *piece[V]) {
	length := int(p.Length)
	if length <= headsAtOnce {
		s.take(p.Tail, p.Heads[:length])
		return
	}
	l := s.open[p.Tail]
	if l == nil {
		l = s.begin(length)
		s.open[p.Tail] = l
	}
	if int(p.At) >= len(l.heads) {
		return // a damaged piece; the tally reports it
	}
	l.left -= copy(l.heads[p.At:], p.Heads[:])
	if l.left > 0 {
		return
	}
	delete(s.open, p.Tail)
	s.take(p.Tail, l.heads)
	s.spare = append(s.spare, l)
}

// begin returns an empty list with room for length heads.
func (s *Lists[V]) begin(length int) *partial[V] {
	last := len(s.spare) - 1
	if last < 0 {
		return &partial[V]{make([]V, length), length}
	}
	l := s.spare[last]
	s.spare = s.spare[:last]
	if cap(l.heads) < length {
		l.heads = make([]V, length)
	}
	l.heads, l.left = l.heads[:length], length
	return l
}
