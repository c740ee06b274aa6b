package bfs

import (
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// AlphaDefault and BetaDefault are the thresholds of Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First
// Search (SC 2012, section V), as tuned in the GAP benchmark suite.
const (
	AlphaDefault = 15
	BetaDefault  = 18
)

// front is the size of a frontier, which decides the direction of a step.
type front struct {
	vertices uint64
	arcs     uint64 // arcs that leave them
}

func (a front) add(b front) front { return front{a.vertices + b.vertices, a.arcs + b.arcs} }

// direction is the direction-optimizing kernel. It proceeds level by level, and takes each step along arcs or against
// them. If most vertices are reached already, a step against arcs examines few: a vertex is done when it finds its
// first parent.
type direction[V vertex] struct {
	*puller[V]
	alpha, beta float64
	all         uint64 // arcs of the graph, without duplicates and self-loops
	backwards   bool   // the last step was against arcs
	own         front  // this rank's part of the next frontier
	last        front  // the frontier of the last step
	unexplored  uint64 // arcs from vertices that have not had their step
	steps       [2]int // of the last search: along arcs, against arcs
}

func newDirection[V vertex](t *tree[V], tuning Tuning) (*direction[V], error) {
	g := t.g
	if err := t.NeedInto(g); err != nil {
		return nil, err
	}
	arcs, err := apps.Sum(g.Rank, t.Arcs())
	if err != nil {
		return nil, err
	}
	s := &direction[V]{puller: newPuller(newPusher(t, tuning.Unfiltered)), alpha: tuning.Alpha, beta: tuning.Beta,
		all: arcs}
	if s.alpha == 0 {
		s.alpha = AlphaDefault
	}
	if s.beta == 0 {
		s.beta = BetaDefault
	}
	return s, nil
}

// Resume implements Search.
func (s *direction[V]) Resume(seed uint64, parts ...checkpoint.Part) error {
	return s.restore(seed, append(parts,
		checkpoint.Value("last", &s.last), checkpoint.Value("unexplored", &s.unexplored)))
}

// From implements Search. A level costs an epoch and an all-reduce.
func (s *direction[V]) From(root uint64) error {
	if s.levels.Done() == 0 {
		s.last, s.unexplored = front{}, s.all
	}
	s.begin(root)
	s.backwards, s.steps, s.own = false, [2]int{}, s.queued()
	return s.levels.Run(func(level int) (more bool, err error) {
		all, err := pebble.AllReduce(s.g.Rank, s.own, front.add)
		if err != nil || all.vertices == 0 {
			return false, err
		}
		s.turn(s.isBackwards(all, s.last, s.unexplored), V(level))
		s.unexplored -= min(s.unexplored, all.arcs)
		s.last = all
		s.own, err = s.step(V(level))
		return true, err
	})
}

// isBackwards chooses the direction of the next step. It is against arcs if the arcs that leave the frontier are more
// than one in alpha of the unexplored ones, and along them again if the frontier shrinks and has less than one in beta
// of the vertices.
func (s *direction[V]) isBackwards(now, last front, unexplored uint64) bool {
	if s.backwards {
		return now.vertices >= last.vertices || float64(now.vertices)*s.beta >= float64(s.g.Vertices)
	}
	return float64(now.arcs)*s.alpha > float64(unexplored)
}

// step takes the step of the vertices at this level, and returns this rank's part of the next frontier.
func (s *direction[V]) step(level V) (front, error) {
	if s.backwards {
		s.steps[1]++
		return s.pull(level)
	}
	s.steps[0]++
	err := s.push(level)
	return s.queued(), err
}

// turn sets the direction of the next step. A frontier is a list for a step along arcs, and part of a bitmap for one
// against arcs.
func (s *direction[V]) turn(backwards bool, level V) {
	switch {
	case backwards == s.backwards:
	case backwards:
		clear(s.frontier)
		for _, v := range s.queue[s.done:] {
			s.level[v] = level
			s.set(s.frontier, v)
		}
		s.done = len(s.queue)
	default:
		s.each(s.frontier, func(v V) { s.queue = append(s.queue, v) })
		for i, word := range s.frontier {
			s.known[s.from+i] |= word
		}
	}
	s.backwards = backwards
}

// queued returns the size of this rank's part of a frontier that is a list.
func (s *direction[V]) queued() front {
	f := front{vertices: s.reached()}
	for _, v := range s.queue[s.done:] {
		f.arcs += s.Offsets[v+1] - s.Offsets[v]
	}
	return f
}

// wordsPerPiece makes a piece fill a cache line.
const wordsPerPiece = 6

// piece is the pebble of a step against arcs: some words of the bitmap of a frontier. It goes to a rank.
type piece struct {
	Rank uint64
	Word uint64 // the first of Bits, in the bitmap
	Bits [wordsPerPiece]uint64
}

// fingerprint multiplies independent pairs of words.
func (p *piece) fingerprint() (sum uint64) {
	place := apps.Fold(p.Rank, p.Word)
	for i := 0; i < wordsPerPiece; i += 2 {
		sum += apps.Fold(p.Bits[i]^place, p.Bits[i+1]+uint64(i))
	}
	return sum
}

// puller takes steps against arcs: each unreached vertex looks among the tails of its incoming arcs for one in the
// frontier. Each rank sends its part of the frontier to the others, as a bitmap, and then reads only its own memory.
//
// The bitmaps have a bit for each vertex of the graph. A rank's part of one is the words with its vertices' bits. Two
// ranks may have bits in one word: a bit of another rank's vertex is set only by that rank's pieces.
type puller[V vertex] struct {
	*pusher[V]
	pieces   *target.Target[piece]
	sending  []piece
	from     int      // the word with the first bit of this rank
	open     []uint64 // this rank's part of a bitmap: vertices with incoming arcs
	frontier []uint64 // the same of the vertices reached in the last step
}

func newPuller[V vertex](s *pusher[V]) *puller[V] {
	g := s.g
	p := &puller[V]{pusher: s, from: int(g.First / 64), sending: make([]piece, 0, 64)}
	if g.Local > 0 {
		p.open = make([]uint64, int(g.First+uint64(g.Local)-1)/64-p.from+1)
	}
	p.frontier = make([]uint64, len(p.open))
	for v := range g.Local {
		if len(s.Into.Row(V(v))) > 0 {
			p.set(p.open, V(v))
		}
	}
	ranks := uint64(g.Rank.Size())
	p.pieces = target.New(g.Rank, s.target("pieces"), distribution.Block(ranks, g.Rank.Size()),
		target.Keys(func(vs []piece, keys []uint64) {
			for i := range vs {
				keys[i] = vs[i].Rank
			}
		}),
		target.Batch(p.learn))
	return p
}

// set sets the bit of this rank's v-th vertex in this rank's part of a bitmap.
func (s *puller[V]) set(part []uint64, v V) {
	at := int(s.first + v)
	part[at/64-s.from] |= 1 << (at % 64)
}

// each calls do for each of this rank's vertices that are in its part of a bitmap.
func (s *puller[V]) each(part []uint64, do func(v V)) {
	for i, word := range part {
		for at := V(s.from+i) * 64; word != 0; word &= word - 1 {
			do(at + V(bits.TrailingZeros64(word)) - s.first)
		}
	}
}

// learn is the handler of pieces.
func (s *puller[V]) learn(vs []piece) {
	for i := range vs {
		p := &vs[i]
		isOwn := p.Rank == uint64(s.g.Rank.ID())
		if s.tally.Take(p.fingerprint(), isOwn); !isOwn || p.Word > uint64(len(s.known)) {
			continue
		}
		known := s.known[p.Word:]
		for j, word := range p.Bits[:min(wordsPerPiece, len(known))] {
			known[j] |= word
		}
	}
}

// pull takes the step of the vertices at this level. It costs an epoch. It returns the number of vertices of this rank
// that it reached, and the number of arcs that lead to them, which in an undirected graph is the number that leave
// them. These vertices become the frontier.
//
// It asks if a tail is known to be reached, instead of if it is in the frontier. That is equivalent: an unreached
// vertex has no arc from a vertex above the frontier, and known has all vertices of the frontier.
func (s *puller[V]) pull(level V) (front, error) {
	if err := s.share(); err != nil {
		return front{}, err
	}
	return s.look(level + 1), nil
}

// share sends this rank's part of the frontier to all ranks. It omits pieces without a bit.
func (s *puller[V]) share() error {
	known := s.known[s.from:]
	for i, word := range s.frontier {
		known[i] |= word
	}
	return s.g.Rank.Epoch(func() error {
		for step := 1; step < s.g.Rank.Size(); step++ { // so that not all ranks send to the same rank at once
			s.shareWith(uint64(s.g.Rank.ID()+step) % uint64(s.g.Rank.Size()))
		}
		return nil
	}, pebble.Depth(1), pebble.Named("level"))
}

func (s *puller[V]) shareWith(rank uint64) {
	for at := 0; at < len(s.frontier); at += wordsPerPiece {
		p := piece{Rank: rank, Word: uint64(s.from + at)}
		copy(p.Bits[:], s.frontier[at:])
		if p.Bits == [wordsPerPiece]uint64{} {
			continue
		}
		s.tally.Send(p.fingerprint())
		if s.sending = append(s.sending, p); len(s.sending) == cap(s.sending) {
			s.pieces.SendAll(s.sending)
			s.sending = s.sending[:0]
		}
	}
	s.pieces.SendAll(s.sending)
	s.sending = s.sending[:0]
}

// look finds parents for this rank's unreached vertices. The vertices that it reaches belong to the next level, so they
// count as known only afterwards.
func (s *puller[V]) look(level V) (found front) {
	known, into := s.known, s.Into
	for i, word := range s.open {
		word &^= known[s.from+i]
		var now uint64
		for at := V(s.from+i)*64 - s.first; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			v := at + V(bit)
			row := into.Row(v)
			for _, u := range row {
				if known[u/64]>>(u%64)&1 != 0 {
					s.parent[v], s.level[v] = u, level
					now |= 1 << bit
					found.arcs += uint64(len(row))
					break
				}
			}
		}
		s.frontier[i] = now
		found.vertices += uint64(bits.OnesCount64(now))
	}
	return found
}
