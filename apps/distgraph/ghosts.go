package distgraph

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Number is the type of the value of a vertex.
type Number interface {
	uint32 | uint64 | float32 | float64
}

// Ghosts holds one number for each of a rank's vertices and a copy of the number of each ghost. A ghost is a vertex of
// another rank at the other end of one of this rank's arcs. A kernel that goes over all arcs repeatedly then reads
// local memory only. Each number travels once to each rank that needs it, so messages grow with ghosts, not with arcs.
//
// A rank keeps an index for each arc of the rows, a number and two indices for each ghost, and a number for each of its
// vertices.
type Ghosts[V Index, T Number] struct {
	// Values are the numbers: first of the rank's vertices by place, set by the kernel, then of the ghosts by index.
	Values []T
	// Slots are the positions in Values of the numbers of the rows' heads, in the order of Rows.Heads.
	Slots []V

	g       *Graph
	tally   apps.Tally
	target  *target.Target[numbers[T]]
	out     [][]V // by rank: the places of this rank's vertices that are ghosts there
	from    []block[V]
	others  []V // the ghosts' vertices, in the order of Values
	sending []numbers[T]
}

// block is the range in Values of the ghosts of one owner.
type block[V Index] struct{ begin, count V }

// numbersAtOnce lets numbers of 4 bytes, with the rest of the pebble, fill two cache lines. It is even because
// fingerprint takes pairs of words.
const numbersAtOnce = 28

// numbers is the pebble that carries values to ghosts. Of the vertices of rank From that are ghosts at rank To, it
// carries those from position At on.
type numbers[T Number] struct {
	To, From uint32
	At       uint64
	Values   [numbersAtOnce]T
}

// fingerprint multiplies pairs of words, independently of each other. Words are aligned, without gaps.
func (n *numbers[T]) fingerprint() (sum uint64) {
	place := apps.Fold(uint64(n.To)<<32|uint64(n.From), n.At)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&n.Values)), unsafe.Sizeof(n.Values)/8)
	for i := 0; i+1 < len(words); i += 2 {
		sum += apps.Fold(words[i]^place, words[i+1]+uint64(i))
	}
	return sum
}

// want is the pebble that requests a vertex's number from its owner, for a rank.
type want[V Index] struct {
	Vertex V
	Rank   uint32
}

func (w want[V]) fingerprint() uint64 { return apps.Fold(uint64(w.Vertex), uint64(w.Rank)) }

// NewGhosts finds the ghosts of rows and reports them to their owners, in one epoch. All ranks call it, between epochs.
// name names its targets, as Graph.Kernel makes them. While it runs it needs 3 bits for each vertex of the graph.
func NewGhosts[V Index, T Number](g *Graph, rows *Rows[V], name func(what string) string) (*Ghosts[V, T], error) {
	size := g.Rank.Size()
	s := &Ghosts[V, T]{g: g, out: make([][]V, size), from: make([]block[V], size), sending: make([]numbers[T], 0, 64)}
	var tally apps.Tally
	wants := target.New(g.Rank, name("wants"), g.Owner,
		target.Keys(func(vs []want[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(func(vs []want[V]) {
			for _, w := range vs {
				isOwn := g.Owns(uint64(w.Vertex)) && int(w.Rank) < size
				if tally.Take(w.fingerprint(), isOwn); isOwn {
					s.out[w.Rank] = append(s.out[w.Rank], w.Vertex-V(g.First))
				}
			}
		}))
	s.target = target.New(g.Rank, name("numbers"), distribution.Ranks(size),
		target.Keys(func(vs []numbers[T], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].To)
			}
		}),
		target.Batch(s.take))
	s.others = s.find(rows)
	err := g.Rank.Epoch(func() error {
		out := make([]want[V], 0, edgesAtOnce)
		for chunk := range slices.Chunk(s.others, edgesAtOnce) {
			out = out[:0]
			for _, v := range chunk {
				w := want[V]{v, uint32(g.Rank.ID())}
				tally.Send(w.fingerprint())
				out = append(out, w)
			}
			wants.SendAll(out)
		}
		return nil
	}, pebble.Depth(1), pebble.Named("ghosts"))
	if err == nil {
		err = tally.Check(g.Rank, fmt.Sprintf("find the ghosts of graph %s", g.Name))
	}
	for _, out := range s.out {
		slices.Sort(out)
	}
	return s, err
}

// find returns the other ranks' vertices in rows, sorted, and sets the slots of all heads.
func (s *Ghosts[V, T]) find(rows *Rows[V]) (others []V) {
	g, first, local := s.g, V(s.g.First), V(s.g.Local)
	marks := make([]uint64, g.Vertices/64+1)
	for _, head := range rows.Heads {
		if head-first >= local {
			marks[head/64] |= 1 << (head % 64)
		}
	}
	before := make([]V, len(marks)) // number of marks in the words before
	for i, word := range marks {
		before[i] = V(len(others))
		for ; word != 0; word &= word - 1 {
			v := V(i)*64 + V(bits.TrailingZeros64(word))
			from := &s.from[g.Owner.Owner(uint64(v))]
			if from.count == 0 {
				from.begin = local + V(len(others))
			}
			from.count++
			others = append(others, v)
		}
	}
	s.Slots = make([]V, len(rows.Heads))
	for i, head := range rows.Heads {
		if own := head - first; own < local {
			s.Slots[i] = own
			continue
		}
		below := marks[head/64] & (1<<(head%64) - 1)
		s.Slots[i] = local + before[head/64] + V(bits.OnesCount64(below))
	}
	s.Values = make([]T, g.Local+len(others))
	return others
}

// Of returns the range in Values of the ghosts that rank owns.
func (s *Ghosts[V, T]) Of(rank int) (begin, end V) {
	from := s.from[rank]
	return from.begin, from.begin + from.count
}

// Slot returns the position in Values of a vertex of this rank or a ghost. It costs a binary search for a ghost.
func (s *Ghosts[V, T]) Slot(vertex V) V {
	if own := vertex - V(s.g.First); own < V(s.g.Local) {
		return own
	}
	at, _ := slices.BinarySearch(s.others, vertex)
	return V(s.g.Local + at)
}

// Vertex is the inverse of Slot.
func (s *Ghosts[V, T]) Vertex(slot V) V {
	if slot < V(s.g.Local) {
		return V(s.g.First) + slot
	}
	return s.others[slot-V(s.g.Local)]
}

// Exchange updates the ghosts on all ranks with the numbers at their owners. It is an epoch. All ranks call it.
func (s *Ghosts[V, T]) Exchange() error {
	return s.g.Rank.Epoch(func() error {
		for step := 1; step < s.g.Rank.Size(); step++ { // start at different ranks
			s.sendTo((s.g.Rank.ID() + step) % s.g.Rank.Size())
		}
		return nil
	}, pebble.Depth(1), pebble.Named("ghosts"))
}

func (s *Ghosts[V, T]) sendTo(rank int) {
	n := numbers[T]{To: uint32(rank), From: uint32(s.g.Rank.ID())}
	for places := s.out[rank]; len(places) > 0; n.At += numbersAtOnce {
		some := places[:min(numbersAtOnce, len(places))]
		for i, v := range some {
			n.Values[i] = s.Values[v]
		}
		places = places[len(some):]
		s.tally.Send(n.fingerprint())
		if s.sending = append(s.sending, n); len(s.sending) == cap(s.sending) {
			s.flush()
		}
	}
	s.flush()
}

func (s *Ghosts[V, T]) flush() {
	s.target.SendAll(s.sending)
	s.sending = s.sending[:0]
}

// take is the handler. Values after the last number of a block are left over from an earlier pebble.
func (s *Ghosts[V, T]) take(vs []numbers[T]) {
	for i := range vs {
		n := &vs[i]
		isOwn := int(n.To) == s.g.Rank.ID()
		if s.tally.Take(n.fingerprint(), isOwn); !isOwn || int(n.From) >= len(s.from) {
			continue
		}
		from := s.from[n.From]
		if n.At < uint64(from.count) {
			copy(s.Values[from.begin:][:from.count][n.At:], n.Values[:])
		}
	}
}

// Tally returns this rank's tally of the pebbles of all exchanges.
func (s *Ghosts[V, T]) Tally() apps.Tally { return s.tally }
