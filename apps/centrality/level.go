package centrality

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// offer is the pebble of the way out: the number of shortest paths from the vertices of rank From to Vertex. It goes to
// the owner of the vertex.
type offer[V vertex] struct {
	Vertex V
	From   uint32
	Paths  float64
}

func (o offer[V]) fingerprint() uint64 {
	return apps.Fold(uint64(o.Vertex)^uint64(o.From)<<48, math.Float64bits(o.Paths))
}

// reply is the pebble of the way back: the share X of the vertex for each of its predecessors. It goes to a rank that
// has offered paths to the vertex.
type reply[V vertex] struct {
	Vertex V
	To     uint32
	X      float64
}

func (r reply[V]) fingerprint() uint64 {
	return apps.Fold(uint64(r.Vertex)^uint64(r.To)<<48, ^math.Float64bits(r.X))
}

// asker is a rank with counted offers to a vertex of this rank.
type asker[V vertex] struct {
	vertex V
	rank   uint32
}

// byLevel is the kernel that sends pebbles. It has arrays over all vertices of the graph. For other ranks' vertices
// they hold the part that concerns this rank. So an arc costs a read of local memory, and each pair of a vertex and a
// preceding rank costs two pebbles.
type byLevel[V vertex] struct {
	*found[V]
	offers  *target.Target[offer[V]]
	replies *target.Target[reply[V]]
	sending []offer[V]
	giving  []reply[V]
	inOrder distgraph.Arranger[V]
	// known has a bit for each vertex of the graph: those of this rank that are reached in the frontier's level or
	// before, and those of other ranks that were offered paths before. Further paths to them are longer.
	known []uint64
	// all are the numbers of paths to each vertex of the graph. For this rank's vertices they are found.paths; for
	// others, the paths that this rank offers.
	all []float64
	// back is the share of each vertex of the graph for its predecessors on this rank. It is 0 until it arrives, and
	// stays 0 for a vertex of another rank that this rank only has longer paths to.
	back   []float64
	met    []V // vertices of other ranks at the ends of the step's arcs
	askers []asker[V]
	asked  []int // by level: end of its askers in askers
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

// From implements Kernel. It costs two epochs and an all-reduction for each level.
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

// offer is the step from a frontier to the next level.
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

// expand adds up the paths to the heads of a frontier's arcs. No handler runs meanwhile.
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

// handle is the handler of offers. Offers to vertices that were reached before are of longer paths.
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

// giveBack sums up the dependencies of the vertices of a level, and sends their shares to their predecessors. It sets
// the shares of this rank's vertices only after all sums: arcs within the level would read them.
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
	if level == 1 { // the source's own dependency does not count
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
