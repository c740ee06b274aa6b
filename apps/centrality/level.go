package centrality

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// offer is the pebble of the way out: so many shortest paths lead to the vertex from those of a rank. It goes to its
// vertex.
type offer[V vertex] struct {
	Vertex V
	From   uint32
	Paths  float64
}

func (o offer[V]) fingerprint() uint64 {
	return apps.Fold(uint64(o.Vertex)^uint64(o.From)<<48, math.Float64bits(o.Paths))
}

// reply is the pebble of the way back: what the vertex gives each that leads to it. It goes to a rank that has offered
// paths to it.
type reply[V vertex] struct {
	Vertex V
	To     uint32
	X      float64
}

func (r reply[V]) fingerprint() uint64 {
	return apps.Fold(uint64(r.Vertex)^uint64(r.To)<<48, ^math.Float64bits(r.X))
}

// asker is a rank whose offers to a vertex of this one have counted.
type asker[V vertex] struct {
	vertex V
	rank   uint32
}

// byLevel is the kernel that sends pebbles. In its arrays of all vertices of the graph a rank keeps of other ranks'
// vertices what its own have to do with them, so that each arc costs a look at its own memory, and each pair of a
// vertex and a rank that leads to it two pebbles.
type byLevel[V vertex] struct {
	*found[V]
	offers  *target.Target[offer[V]]
	replies *target.Target[reply[V]]
	sending []offer[V]
	giving  []reply[V]
	inOrder distgraph.Arranger[V]
	// known has a bit for each vertex of the graph: one of this rank that is reached in the level of the frontier or
	// before, or one of another rank that was offered paths before. More paths to it are longer ones.
	known []uint64
	// all are the paths to each vertex of the graph: those of this rank's are found.paths; of others, the paths that this
	// rank offers.
	all []float64
	// back is what each vertex of the graph gives those of this rank that lead to it; 0 until it is known, and for one of
	// another rank that this rank leads to by longer paths alone.
	back   []float64
	met    []V // vertices of other ranks to which the step leads
	askers []asker[V]
	asked  []int // where in askers those of each level end
}

func newByLevel[V vertex](f *found[V]) *byLevel[V] {
	g := f.g
	s := &byLevel[V]{
		found: f, sending: make([]offer[V], 0, sendAtOnce), giving: make([]reply[V], 0, sendAtOnce),
		inOrder: distgraph.NewArranger[V](g.Local),
		known:   make([]uint64, g.Vertices/64+1), all: make([]float64, g.Vertices), back: make([]float64, g.Vertices),
	}
	f.paths = s.all[min(g.First, g.Vertices):][:g.Local] // a rank without vertices may begin beyond the last
	s.offers = target.New(g.Rank, s.target("offers"), g.Owner,
		target.Keys(func(vs []offer[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(s.handle))
	s.replies = target.New(g.Rank, s.target("replies"), distribution.Ranks(g.Rank.Size()),
		target.Keys(func(vs []reply[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].To)
			}
		}),
		target.Batch(s.learn))
	return s
}

// From implements Kernel. It costs two epochs and an all-reduction a level.
func (s *byLevel[V]) From(source uint64) error {
	s.start(source)
	clear(s.known)
	clear(s.all)
	clear(s.back)
	s.askers, s.asked = s.askers[:0], append(s.asked[:0], 0)
	if s.g.Owns(source) {
		s.paths[V(source)-s.first] = 1
	}
	s.know(s.queue)
	if err := s.out(s.offer); err != nil {
		return err
	}
	for level := s.depth(); level > 0; level-- {
		if err := s.giveBack(level); err != nil {
			return err
		}
	}
	s.score()
	return nil
}

// know sets the bits of vertices of this rank.
func (s *byLevel[V]) know(vertices []V) {
	for _, v := range vertices {
		at := s.first + v
		s.known[at/64] |= 1 << (at % 64)
	}
}

// offer is the step of a frontier to the next level.
func (s *byLevel[V]) offer(frontier []V) error {
	s.inOrder.Arrange(frontier)
	next := len(s.queue)
	err := s.g.Rank.Epoch(func() error {
		s.expand(frontier)
		for _, w := range s.met {
			s.sending = append(s.sending, offer[V]{w, uint32(s.g.Rank.ID()), s.all[w]})
			if len(s.sending) == cap(s.sending) {
				s.sendOffers()
			}
		}
		s.sendOffers()
		return nil
	}, pebble.Depth(1), pebble.Named("level"))
	s.know(s.queue[next:])
	for _, w := range s.met {
		s.known[w/64] |= 1 << (w % 64)
	}
	s.met, s.asked = s.met[:0], append(s.asked, len(s.askers))
	return err
}

// expand adds up the paths to what the arcs of a frontier lead to. No handler runs meanwhile.
func (s *byLevel[V]) expand(frontier []V) {
	known, all, first, local, queue, met := s.known, s.all, s.first, s.local, s.queue, s.met
	for _, v := range frontier {
		paths := all[first+v]
		for _, w := range s.Row(v) {
			if known[w/64]>>(w%64)&1 != 0 {
				continue
			}
			before := all[w]
			if all[w] = before + paths; before != 0 {
				continue
			}
			if own := w - first; own < local {
				queue = append(queue, own)
			} else {
				met = append(met, w)
			}
		}
	}
	s.queue, s.met = queue, met
}

func (s *byLevel[V]) sendOffers() {
	for _, o := range s.sending {
		s.tally.Send(o.fingerprint())
	}
	s.offers.SendAll(s.sending)
	s.sending = s.sending[:0]
}

// handle is the handler of offers. Those to vertices that were reached before lead there by longer paths.
func (s *byLevel[V]) handle(vs []offer[V]) {
	for _, o := range vs {
		isOwn := s.isOwn(o.Vertex)
		if s.tally.Take(o.fingerprint(), isOwn); !isOwn || s.known[o.Vertex/64]>>(o.Vertex%64)&1 != 0 {
			continue
		}
		v := o.Vertex - s.first
		if s.paths[v] == 0 {
			s.queue = append(s.queue, v)
		}
		s.paths[v] += o.Paths
		s.askers = append(s.askers, asker[V]{v, o.From})
	}
}

// giveBack sums up what depends on the vertices of a level, and tells those that lead to them. What this rank's give to
// each other must not be there before all sums are: arcs within a level would find it.
func (s *byLevel[V]) giveBack(level int) error {
	vertices := s.level(level)
	if level < s.depth() {
		back := s.back
		for _, v := range vertices {
			sum := 0.0
			for _, w := range s.Row(v) {
				sum += back[w]
			}
			s.through[v] = sum
		}
	}
	if level == 1 { // the source's own dependency doesn't count
		return nil
	}
	for _, v := range vertices {
		s.back[s.first+v] = s.x(v)
	}
	return s.g.Rank.Epoch(func() error {
		for _, a := range s.askers[s.asked[level-1]:s.asked[level]] {
			s.giving = append(s.giving, reply[V]{s.first + a.vertex, a.rank, s.x(a.vertex)})
			if len(s.giving) == cap(s.giving) {
				s.sendReplies()
			}
		}
		s.sendReplies()
		return nil
	}, pebble.Depth(1), pebble.Named("level"))
}

func (s *byLevel[V]) sendReplies() {
	for _, r := range s.giving {
		s.tally.Send(r.fingerprint())
	}
	s.replies.SendAll(s.giving)
	s.giving = s.giving[:0]
}

// learn is the handler of replies.
func (s *byLevel[V]) learn(vs []reply[V]) {
	for _, r := range vs {
		isOwn := int(r.To) == s.g.Rank.ID()
		if s.tally.Take(r.fingerprint(), isOwn); isOwn && uint64(r.Vertex) < s.g.Vertices {
			s.back[r.Vertex] = r.X
		}
	}
}
