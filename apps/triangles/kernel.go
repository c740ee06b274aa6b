package triangles

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// Kernel counts triangles. It belongs to its rank's goroutine.
type Kernel interface {
	// Run counts them, from the start. It costs two epochs. All ranks call it.
	Run() error
	// Tally is what this rank has seen of the kernel's pebbles so far.
	Tally() apps.Tally
	// Counts adds up what Run has counted. All ranks call it.
	Counts() (Counts, error)
	// Validate counts again for some vertices, with a pebble for each wedge below them and one for each triangle, and
	// returns what breaches this rank found; an error, on all ranks, when not all of those pebbles were handled as they
	// were sent. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Recounted is for how many vertices Validate has counted again, on all ranks.
	Recounted() uint64
	// Middles returns of how many triangles each of this rank's vertices is the middle one by degree, in the order of
	// the source of the graph. It makes a new slice.
	Middles() []uint64
}

// Counts are sums over all ranks.
type Counts struct {
	Triangles uint64
	Wedges    uint64 // pairs of arcs that meet at a vertex
}

// NewKernel registers a kernel on g, between epochs, on all ranks together. The arcs of g lead both ways: a directed
// graph is to be built with Source.Undirected, and is refused otherwise. seed decides which vertices are checked;
// progress is told how many of its vertices rank 0 has done. It keeps 24 bytes for each vertex of the rank, a bit for
// each of the graph, and 8 bytes for each of another rank at the end of an arc; and 6 bytes for each arc, 12 of a wide
// graph. What the memory that is available has no room for is refused.
func NewKernel(g *distgraph.Graph, seed uint64, progress apps.Progress) (Kernel, error) {
	if !g.Undirected {
		return nil, fmt.Errorf(
			"triangles of graph %s, which is directed: build it with arcs that lead both ways", g.Name)
	}
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge()) / float64(g.Rank.Size())
	if err := g.Fits("triangles of", arcs*g.IndexBytes()*1.5+24*float64(g.Local)+9*float64(g.Vertices)); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newCounting(g, g.Wide, seed, progress)
	}
	return newCounting(g, g.Narrow, seed, progress)
}

// counting is the kernel.
type counting[V distgraph.Index] struct {
	*distgraph.Part[V]
	g        *distgraph.Graph
	ghosts   *distgraph.Ghosts[V, V] // of degrees
	first    V                       // index of the rank's first vertex
	local    V                       // number of its vertices
	progress apps.Progress
	upwards  distgraph.Rows[V] // of the arcs to higher vertices
	marks    []uint64          // a bit for each vertex of the graph: those of the list at hand
	middles  []uint64          // by place: triangles of which the vertex is the middle one
	lists    *distgraph.Lists[V]
	check    *validator[V]
}

func newCounting[V distgraph.Index](
	g *distgraph.Graph, p *distgraph.Part[V], seed uint64, progress apps.Progress,
) (Kernel, error) {
	name := g.Kernel("triangles")
	ghosts, err := distgraph.NewGhosts[V, V](g, p.Rows, name)
	s := &counting[V]{
		Part: p, g: g, ghosts: ghosts, first: V(g.First), local: V(g.Local), progress: progress,
		marks: make([]uint64, g.Vertices/64+1), middles: make([]uint64, g.Local),
	}
	s.lists = distgraph.NewLists(g, name("lists"), s.count)
	s.check = newValidator(s, seed, name)
	return s, err
}

// degree of this rank's v-th vertex.
func (s *counting[V]) degree(v V) V { return V(s.Offsets[v+1] - s.Offsets[v]) }

// Run implements Kernel.
func (s *counting[V]) Run() error {
	for v := V(0); v < s.local; v++ {
		s.ghosts.Values[v] = s.degree(v)
	}
	if err := s.ghosts.Exchange(); err != nil {
		return err
	}
	s.orient()
	clear(s.middles)
	return s.g.Rank.Epoch(func() error {
		for v := V(0); v < s.local; v++ {
			if row := s.upwards.Row(v); len(row) > 1 {
				s.count(s.first+v, row)
				s.lists.Send(s.first+v, row, row)
			}
			s.progress.Passed(s.g.Rank, 1<<10, uint64(v), uint64(v)+1, uint64(s.local))
		}
		s.lists.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("triangles"))
}

// orient makes the rows of the arcs to higher vertices: those of higher degree, or of the same and a higher index.
func (s *counting[V]) orient() {
	up := distgraph.Rows[V]{Offsets: append(s.upwards.Offsets[:0], 0), Heads: s.upwards.Heads[:0]}
	for v := V(0); v < s.local; v++ {
		degree, begin := s.degree(v), s.Offsets[v]
		for i, head := range s.Row(v) {
			if s.isHigher(head, s.ghosts.Slots[begin+uint64(i)], s.first+v, degree) {
				up.Heads = append(up.Heads, head)
			}
		}
		up.Offsets = append(up.Offsets, uint64(len(up.Heads)))
	}
	s.upwards = up
}

// isHigher reports whether the vertex whose degree is in a slot is higher than another.
func (s *counting[V]) isHigher(vertex, slot, than, degree V) bool {
	return distgraph.IsHigher(vertex, s.ghosts.Values[slot], than, degree)
}

// count finds the triangles of which the lowest vertex leads to those of a list, and the middle one is in the list and
// of this rank. It is a handler, too.
func (s *counting[V]) count(_ V, list []V) {
	marks := s.marks
	for _, v := range list {
		marks[v/64] |= 1 << (v % 64)
	}
	for _, v := range list {
		own := v - s.first
		if own >= s.local {
			continue
		}
		n := uint64(0)
		for _, w := range s.upwards.Row(own) {
			n += marks[w/64] >> (w % 64) & 1
		}
		s.middles[own] += n
	}
	for _, v := range list {
		marks[v/64] = 0
	}
}

// Tally implements Kernel.
func (s *counting[V]) Tally() apps.Tally { return s.ghosts.Tally().Add(s.lists.Tally()) }

// Counts implements Kernel.
func (s *counting[V]) Counts() (Counts, error) {
	var own Counts
	for v, n := range s.middles {
		degree := uint64(s.degree(V(v)))
		own.Triangles += n
		own.Wedges += degree * (max(degree, 1) - 1) / 2
	}
	return pebble.AllReduce(s.g.Rank, own, func(a, b Counts) Counts {
		return Counts{a.Triangles + b.Triangles, a.Wedges + b.Wedges}
	})
}

// Middles implements Kernel.
func (s *counting[V]) Middles() []uint64 { return distgraph.BySource(s.Part, s.middles) }

// Validate implements Kernel.
func (s *counting[V]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Recounted implements Kernel.
func (s *counting[V]) Recounted() uint64 { return s.check.recounted }
