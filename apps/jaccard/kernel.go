package jaccard

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Kernel finds the common neighbours of the two ends of each edge. It belongs to its rank's goroutine.
type Kernel interface {
	// Run counts common neighbours, from the start. It costs two epochs. For an edge whose lower end has d neighbours
	// and whose higher end has D, it reads D of them, or, if D is more than 32 d, searches d times in about log(D/d)
	// steps. The d neighbours travel once to each rank that owns a higher one of them. All ranks call it.
	Run() error
	// Tally returns this rank's tally of the kernel's pebbles so far.
	Tally() apps.Tally
	// Sums returns the sums of the results of Run. All ranks call it, with the same threshold.
	Sums(threshold float64) (Sums, error)
	// Highest returns the five most similar pairs of all ranks, as in Result. All ranks call it.
	Highest() ([]Pair, error)
	// Pairs returns the pairs whose higher end is this rank's, by the vertices' numbers in the graph's source, the
	// smaller first, in no order. It makes a new slice.
	Pairs() []graph.Pair
	// Columns returns the pairs at or above a threshold as columns of labels: source, target, similarity. The source's
	// label is before the target's. Pairs are in order, also over all ranks. It costs a pebble for each pair, and those
	// of labels. All ranks call it.
	Columns(threshold float64) ([]export.Column, error)
	// Validate counts again for some pairs, with a pebble for each neighbour of the lower end and one for each common
	// neighbour. It returns the breaches that this rank found, or an error on all ranks if pebbles were not handled as
	// sent. It keeps an index for each arc meanwhile. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Recounted returns the number of pairs on all ranks that Validate has counted again.
	Recounted() uint64
}

// Sums are over the pairs of all ranks. The last digits of Similarity depend on the number of ranks.
type Sums struct {
	Pairs, Common, Zero, Similar uint64
	Similarity                   float64
}

func (s Sums) add(o Sums) Sums {
	return Sums{
		s.Pairs + o.Pairs, s.Common + o.Common, s.Zero + o.Zero, s.Similar + o.Similar, s.Similarity + o.Similarity,
	}
}

// NewKernel registers a kernel on g. All ranks call it, between epochs. The arcs of g must lead in both directions:
// build a directed graph with Source.Undirected, otherwise it is an error. seed draws the pairs to check; progress gets
// the number of rank 0's vertices that are done. The kernel keeps two indices for each arc, three in an ordered graph;
// two for each vertex of the rank and three for each of another rank at the end of an arc; and a bit for each vertex of
// the graph. If the available memory is too small, it returns an error.
func NewKernel(g *distgraph.Graph, seed uint64, progress apps.Progress) (Kernel, error) {
	if !g.Undirected {
		return nil, fmt.Errorf(
			"similarities of graph %s, which is directed: build it with arcs that lead both ways", g.Name)
	}
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge()) / float64(g.Rank.Size())
	need := g.IndexBytes() * (4*arcs + 2*float64(g.Local) + 3*float64(g.Vertices))
	if err := g.Fits("similarities of", need); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newMatching(g, g.Wide, seed, progress)
	}
	return newMatching(g, g.Narrow, seed, progress)
}

// matching is the kernel.
type matching[V distgraph.Index] struct {
	*distgraph.Rows[V] // sorted by index, even in an ordered graph
	g                  *distgraph.Graph
	first, local       V                       // index of the rank's first vertex, number of its vertices
	ghosts             *distgraph.Ghosts[V, V] // of degrees
	numbers            []V                     // in an ordered graph: numbers in the source, by slot
	numbering          apps.Tally              // of the exchange of numbers, which is not part of a run
	progress           apps.Progress
	marks              []uint64 // a bit for each vertex of the graph: those of the present list
	common             []V      // in the order of Heads: number of neighbours in common with a lower head
	lists              *distgraph.Lists[V]
	check              *validator[V]
}

func newMatching[V distgraph.Index](
	g *distgraph.Graph, p *distgraph.Part[V], seed uint64, progress apps.Progress,
) (Kernel, error) {
	name, rows := g.Kernel("jaccard"), byIndex(g, p.Rows)
	ghosts, err := distgraph.NewGhosts[V, V](g, rows, name)
	if err != nil {
		return nil, err
	}
	s := &matching[V]{
		Rows: rows, g: g, first: V(g.First), local: V(g.Local), ghosts: ghosts, progress: progress,
		marks: make([]uint64, g.Vertices/64+1), common: make([]V, len(rows.Heads)),
	}
	s.lists = distgraph.NewLists(g, name("lists"), s.match)
	s.check = newValidator(s, p, seed, name)
	if !g.Ordered {
		return s, nil
	}
	for v := V(0); v < s.local; v++ {
		ghosts.Values[v] = s.first + V(p.Number(uint64(v)))
	}
	if err := ghosts.Exchange(); err != nil {
		return nil, err
	}
	s.numbers, s.numbering = slices.Clone(ghosts.Values), ghosts.Tally()
	return s, s.numbering.Check(g.Rank, fmt.Sprintf("number the ghosts of graph %s", g.Name))
}

// byIndex returns rows whose heads are sorted by index.
func byIndex[V distgraph.Index](g *distgraph.Graph, rows *distgraph.Rows[V]) *distgraph.Rows[V] {
	if !g.Ordered {
		return rows
	}
	sorted := &distgraph.Rows[V]{Offsets: rows.Offsets, Heads: slices.Clone(rows.Heads)}
	for v := range g.Local {
		slices.Sort(sorted.Row(V(v)))
	}
	return sorted
}

// degree returns the degree of this rank's v-th vertex.
func (s *matching[V]) degree(v V) V { return V(s.Offsets[v+1] - s.Offsets[v]) }

// leadsUp reports whether an arc of this rank's v-th vertex, at position at of Heads, leads to a higher vertex.
func (s *matching[V]) leadsUp(v V, at uint64) bool {
	return distgraph.IsHigher(s.Heads[at], s.ghosts.Values[s.ghosts.Slots[at]], s.first+v, s.degree(v))
}

// Run implements Kernel.
func (s *matching[V]) Run() error {
	for v := V(0); v < s.local; v++ {
		s.ghosts.Values[v] = s.degree(v)
	}
	if err := s.ghosts.Exchange(); err != nil {
		return err
	}
	clear(s.common)
	var up []V
	return s.g.Rank.Epoch(func() error {
		for v := V(0); v < s.local; v++ {
			if row := s.Row(v); len(row) > 1 { // a single neighbour is the other end, and not common
				up = s.upwards(up[:0], v)
				s.match(s.first+v, row)
				s.lists.Send(s.first+v, up, row)
			}
			s.progress.Passed(s.g.Rank, 1<<10, uint64(v), uint64(v)+1, uint64(s.local))
		}
		s.lists.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("jaccard"))
}

// upwards appends the higher neighbours of this rank's v-th vertex.
func (s *matching[V]) upwards(up []V, v V) []V {
	for at := s.Offsets[v]; at < s.Offsets[v+1]; at++ {
		if s.leadsUp(v, at) {
			up = append(up, s.Heads[at])
		}
	}
	return up
}

// match counts the common neighbours of tail, whose neighbours are list, and each higher vertex of the list that is
// this rank's. It is also a handler.
func (s *matching[V]) match(tail V, list []V) {
	for _, v := range list {
		s.marks[v/64] |= 1 << (v % 64)
	}
	for _, v := range list {
		own := v - s.first
		if own >= s.local || !distgraph.IsHigher(v, s.degree(own), tail, V(len(list))) {
			continue
		}
		row := s.Row(own)
		if at, found := slices.BinarySearch(row, tail); found {
			s.common[s.Offsets[own]+uint64(at)] = s.inCommon(list, row)
		}
	}
	for _, v := range list {
		s.marks[v/64] = 0
	}
}

// looked is the largest ratio of a row's length to the list's at which inCommon reads the row: to read a mark takes
// much less time than to search. For Kronecker graphs 32 and 64 are alike, 16 takes a tenth longer, and 8 a third.
const looked = 32

// inCommon returns the number of vertices of a marked list that are in a row. The row is as long as the list or longer.
func (s *matching[V]) inCommon(list, row []V) (n V) {
	if len(row)/looked > len(list) {
		return among(list, row)
	}
	for _, w := range row {
		n += V(s.marks[w/64] >> (w % 64) & 1)
	}
	return n
}

// among returns the number of vertices of a sorted list that are in a sorted row. From the last position it takes ever
// larger steps until it is beyond the next vertex, and then searches the last step.
func among[V distgraph.Index](list, row []V) (n V) {
	for _, w := range list {
		from, to := 0, 1
		for to < len(row) && row[to] < w {
			from, to = to, 2*to
		}
		at, found := slices.BinarySearch(row[from:min(to+1, len(row))], w)
		if found {
			n++
		}
		row = row[from+at:]
	}
	return n
}

// Tally implements Kernel.
func (s *matching[V]) Tally() apps.Tally {
	return s.ghosts.Tally().Since(s.numbering).Add(s.lists.Tally())
}

// Validate implements Kernel.
func (s *matching[V]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Recounted implements Kernel.
func (s *matching[V]) Recounted() uint64 { return s.check.recounted }
