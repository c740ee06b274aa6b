package triangles

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// Kernel counts triangles. It belongs to its rank's goroutine.
type Kernel interface {
	// Run counts the triangles, from the start. It costs two epochs. All ranks call it.
	Run() error
	// Tally returns this rank's tally of the kernel's pebbles so far.
	Tally() apps.Tally
	// Counts returns the sums of the counts of Run. All ranks call it.
	Counts() (Counts, error)
	// Validate counts again for some vertices, with a pebble for each wedge around them and one for each triangle. It
	// returns the breaches that this rank found, or an error on all ranks if pebbles were not handled as sent. All
	// ranks call it.
	Validate() (distgraph.Breaches, error)
	// Recounted returns the number of vertices on all ranks that Validate has counted again.
	Recounted() uint64
	// Corners returns the number of triangles of each of this rank's vertices, and its local clustering coefficient, in
	// the order of the graph's source, in new slices. It is for a kernel with PerVertex.
	Corners() (triangles []uint64, clustering []float64)
	// Middles returns, for each of this rank's vertices, the number of triangles with this vertex as their middle one
	// by degree, in the order of the graph's source. It makes a new slice.
	Middles() []uint64
}

// Counts are sums over all ranks.
type Counts struct {
	Triangles uint64
	Wedges    uint64 // number of pairs of arcs that meet at a vertex
}

// NewKernel registers a kernel on g. All ranks call it, between epochs. It does not use c.Source. Without PerVertex,
// the arcs of g must lead in both directions: build a directed graph with Source.Undirected, otherwise it is an error.
// Progress gets the number of rank 0's vertices that are done. The kernel keeps 24 bytes for each vertex of the rank, a
// bit for each of the graph, and 12 bytes for each of another rank at the end of an arc; and 6 bytes for each arc, 12
// in a wide graph. PerVertex takes 16 bytes more for each of these vertices, a second bit, and a third more for each
// arc, and in a directed graph twice that. If the available memory is too small, it returns an error.
func NewKernel(g *distgraph.Graph, c Config) (Kernel, error) {
	if !g.Undirected && !c.PerVertex {
		return nil, fmt.Errorf(
			"triangles of graph %s, which is directed: build it with arcs that lead both ways", g.Name)
	}
	arcs, vertices := 2*float64(g.Edges)/float64(g.Rank.Size()), float64(g.Vertices)
	need := arcs*g.IndexBytes()*1.5 + 24*float64(g.Local) + 13*vertices
	if c.PerVertex {
		need += arcs*g.IndexBytes()*0.5 + 17*vertices
	}
	if err := g.Fits("triangles of", need); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newKernel(g, g.Wide, c)
	}
	return newKernel(g, g.Narrow, c)
}

func newKernel[V distgraph.Index](g *distgraph.Graph, p *distgraph.Part[V], c Config) (Kernel, error) {
	rows, err := p.Around(g)
	if err != nil {
		return nil, err
	}
	name := g.Kernel("triangles")
	s, err := newCounting(g, p, rows, c, name)
	if err != nil || !c.PerVertex {
		return s, err
	}
	return newCorners(s, p, name), nil
}

// counting is the kernel.
type counting[V distgraph.Index] struct {
	*distgraph.Rows[V] // of arcs of both directions: in a directed graph a neighbour may be twice in a row
	part               *distgraph.Part[V]
	g                  *distgraph.Graph
	config             Config
	ghosts             *distgraph.Ghosts[V, V] // of degrees
	first              V                       // index of the rank's first vertex
	local              V                       // number of its vertices
	upwards            distgraph.Rows[V]       // of the arcs to higher vertices
	slots              []V                     // of the heads of upwards, if PerVertex needs them
	marks              []uint64                // a bit for each vertex of the graph: those of the present list
	middles            []uint64                // by place: number of triangles whose middle one is this vertex
	lists              *distgraph.Lists[V]
	take               func(tail V, list []V) // finds triangles by a list, also in handlers
	check              *validator[V]
}

func newCounting[V distgraph.Index](
	g *distgraph.Graph, p *distgraph.Part[V], rows *distgraph.Rows[V], c Config, name func(what string) string,
) (*counting[V], error) {
	ghosts, err := distgraph.NewGhosts[V, V](g, rows, name)
	s := &counting[V]{
		Rows: rows, part: p, g: g, config: c, ghosts: ghosts, first: V(g.First), local: V(g.Local),
		marks: make([]uint64, g.Vertices/64+1), middles: make([]uint64, g.Local),
	}
	s.take = s.count
	s.lists = distgraph.NewLists(g, name("lists"), func(tail V, list []V) { s.take(tail, list) })
	if !c.PerVertex {
		s.check = newValidator(s, name)
	}
	return s, err
}

// degree returns the number of neighbours of this rank's v-th vertex. Run sets it.
func (s *counting[V]) degree(v V) V { return s.ghosts.Values[v] }

// neighbours returns the number of different vertices in a row.
func neighbours[V distgraph.Index](row []V) (n V) {
	for i, head := range row {
		if i == 0 || head != row[i-1] {
			n++
		}
	}
	return n
}

// Run implements Kernel.
func (s *counting[V]) Run() error {
	for v := V(0); v < s.local; v++ {
		s.ghosts.Values[v] = neighbours(s.Row(v))
	}
	if err := s.ghosts.Exchange(); err != nil {
		return err
	}
	s.orient()
	clear(s.middles)
	return s.g.Rank.Epoch(func() error {
		for v := V(0); v < s.local; v++ {
			if row := s.upwards.Row(v); len(row) > 1 {
				s.take(s.first+v, row)
				s.lists.Send(s.first+v, row, row)
			}
			s.config.Progress.Passed(s.g.Rank, 1<<10, uint64(v), uint64(v)+1, uint64(s.local))
		}
		s.lists.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("triangles"))
}

// orient makes the rows of the arcs to higher vertices: those of higher degree, or of the same and a higher index.
func (s *counting[V]) orient() {
	up := distgraph.Rows[V]{Offsets: append(s.upwards.Offsets[:0], 0), Heads: s.upwards.Heads[:0]}
	s.slots = s.slots[:0]
	for v := V(0); v < s.local; v++ {
		degree, begin := s.degree(v), s.Offsets[v]
		for i, head := range s.Row(v) {
			slot := s.ghosts.Slots[begin+uint64(i)]
			if !s.isHigher(head, slot, s.first+v, degree) {
				continue
			}
			up.Heads = append(up.Heads, head)
			if s.config.PerVertex {
				s.slots = append(s.slots, slot)
			}
		}
		up.Offsets = append(up.Offsets, uint64(len(up.Heads)))
	}
	s.upwards = up
}

// isHigher reports whether the vertex with its degree in a slot is higher than another.
func (s *counting[V]) isHigher(vertex, slot, than, degree V) bool {
	return distgraph.IsHigher(vertex, s.ghosts.Values[slot], than, degree)
}

// count finds the triangles whose lowest vertex has arcs to the vertices of list; the middle vertex is one of them and
// this rank's. It is also a handler.
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
func (s *counting[V]) Middles() []uint64 { return distgraph.BySource(s.part, s.middles) }

// Corners implements Kernel.
func (s *counting[V]) Corners() ([]uint64, []float64) {
	panic("triangles: the kernel was made without PerVertex, and has not counted the triangles of each vertex")
}

// Validate implements Kernel.
func (s *counting[V]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Recounted implements Kernel.
func (s *counting[V]) Recounted() uint64 { return s.check.recounted }
