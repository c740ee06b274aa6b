// Package distgraph spreads a graph over the ranks of a job. All graph applications share it.
//
// [Build] reads or makes a graph and sends each arc, as a pebble, to the owner of its tail. Each rank owns a block of
// vertices and stores the arcs that leave them in compressed sparse rows, with weights if the [Source] asks for them. A
// rank sorts its vertices by degree where that pays (see [Order]). Each rank accounts for the arcs that it sends and
// receives, so that a lost arc is an error.
//
// A vertex has a label, its name in the source: an id or a string. Its number, 0 to n-1, is the place of its label in
// the ascending order of ids, or of the bytes of names. Ranks use its index, which equals its number unless the graph
// is ordered by degree. The owner of a vertex stores its label: see [Graph.Labels] and [Graph.Own].
package distgraph

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// Graph is a rank's part of a distributed graph: a block of vertices and the arcs that leave them. An undirected edge
// is two arcs, and so is a self-loop. Duplicate edges and self-loops are counted, as in Graph500, but not kept, because
// no search needs them; see also Source.SelfLoops. Of duplicates with weights the lightest is kept. A Graph belongs to
// its rank's goroutine. Its fields are read-only.
type Graph struct {
	Name       string // of the source
	Vertices   uint64
	Edges      uint64 // as in the source: an undirected edge counts once
	Undirected bool
	Weighted   bool // the source has weights, used or not
	SelfLoops  bool // the rows contain self-loops
	Ordered    bool // by degree

	Rank  *pebble.Rank
	Owner *distribution.BlockMap // of vertices, by index
	First uint64                 // index of this rank's first vertex
	Local int                    // number of this rank's vertices

	// Narrow and Wide are this rank's rows, with indices of 32 or 64 bits. One is nil, the same on all ranks.
	Narrow *Part[uint32]
	Wide   *Part[uint64]

	own     ownLabels
	input   checkpoint.Part // of jobs that make checkpoints
	serial  uint64          // distinguishes this graph's targets from those of other graphs of the job
	kernels int
	part    anyPart // Narrow or Wide
}

// Build makes the graph of source. All ranks call it. Every arc travels once, as a pebble keyed by its tail.
//
// All ranks read shares of the files twice: first to check them and to count vertices, then to send edges. So an error
// in a file is the same error on every rank, before an edge is sent. If ids are not indices, the ranks sort the ids
// together between the two passes, and each rank gets the numbers of the ids in its edges. While it builds, a rank
// needs 12 bytes for each arc that leaves its vertices; afterwards it needs 4 bytes for each arc and 8 for each vertex.
// Arcs take twice as much in graphs of 2^32 vertices or more. A weight takes 16 bytes more while it builds, and 8
// afterwards. An id takes 16 bytes on each rank with an edge that contains it while it builds, and 8 afterwards. A
// graph that does not fit into the available memory is an error.
func Build(r *pebble.Rank, source Source) (*Graph, error) {
	if err := source.Check(); err != nil {
		return nil, err
	}
	if r.ID() != 0 {
		source.Progress, source.Phase = nil, nil
	}
	o, err := source.survey(r)
	if err != nil {
		return nil, err
	}
	g := &Graph{
		Name: source.Name(), Vertices: o.vertices, Edges: o.edges, Undirected: o.undirected, Weighted: o.weighted,
		Rank: r, Owner: distribution.Block(o.vertices, r.Size()), own: ownLabels{base: o.base},
		serial: r.Counters().Epochs, SelfLoops: source.SelfLoops,
	}
	g.First, g.Local = g.Owner.Key(r.ID(), 0), g.Owner.LocalLen(r.ID())
	if g.input, err = apps.Inputs(r, source.inputs()); err != nil {
		return nil, err
	}
	if err := checkOrder(source.Order, o.undirected); err != nil {
		return nil, err
	}
	isWide := source.Wide || o.vertices > math.MaxUint32-uint64(r.Size())
	if err := g.mustFit(isWide, source.Weights != Unweighted, o.label != nil); err != nil {
		return nil, err
	}
	if o.label != nil {
		if g.own, err = o.label(g); err != nil {
			return nil, err
		}
	}
	if isWide {
		g.Wide, err = buildPart[uint64](g, source, o)
		g.part = g.Wide
	} else {
		g.Narrow, err = buildPart[uint32](g, source, o)
		g.part = g.Narrow
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

func bit(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// ArcsPerEdge returns the number of arcs of an edge of the source: 2 in an undirected graph, else 1.
func (g *Graph) ArcsPerEdge() uint64 { return 1 + bit(g.Undirected) }

// IndexBytes returns the size of an index in memory.
func (g *Graph) IndexBytes() float64 { return indexBytes(g.Wide != nil) }

func indexBytes(isWide bool) float64 {
	if isWide {
		return 8
	}
	return 4
}

// mustFit returns an error before memory is allocated by the numbers that a file claims. Its estimate includes the
// memory of a search; kernels that need more check that themselves.
func (g *Graph) mustFit(isWide, weighted, labelled bool) error {
	index, weight, label := indexBytes(isWide), 24*float64(bit(weighted)), 8*float64(bit(labelled))
	vertices, ranks := float64(g.Vertices), float64(g.Rank.Size())
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge())
	return g.Fits("build", (vertices*(16+5*index+label)+arcs*(4*index+weight))/ranks+vertices/8)
}

// Fits returns an error if a step needs more bytes per rank than are available. what names the step. All ranks call it.
func (g *Graph) Fits(what string, need float64) error {
	place := g.Rank.Place()
	least, err := pebble.AllReduce(g.Rank, cpu.MemoryAvailable()/int64(place.Last-place.First), pebble.Min[int64])
	if err != nil {
		return err
	}
	if need > float64(least) {
		return fmt.Errorf("%s graph %s: %d vertices and %d edges need about %.0f MB on each of %d ranks, %d MB are "+
			"available: use more hosts or a smaller graph",
			what, g.Name, g.Vertices, g.Edges, need/1e6, g.Rank.Size(), least/1e6)
	}
	return nil
}

// Owns reports whether the vertex with this index is one of this rank's.
func (g *Graph) Owns(index uint64) bool { return index-g.First < uint64(g.Local) }

// Kernel returns a function that names the targets of a new kernel on this graph, distinct from those of other kernels
// of the job. All ranks call it in the same order.
func (g *Graph) Kernel(app string) func(what string) string {
	g.kernels++
	kernel := g.kernels
	return func(what string) string { return fmt.Sprintf("%s %s %d.%d", app, what, g.serial, kernel) }
}

// target returns the name of a target of this graph itself.
func (g *Graph) target(what string) string { return fmt.Sprintf("graph %s %d", what, g.serial) }

// Index is the type of indices in memory and in pebbles. 32 bits serve for all graphs but the largest.
type Index interface{ uint32 | uint64 }

// None stands for the parent and the level of a vertex that is not reached. It is above every index and level.
func None[V Index]() V { return ^V(0) }

// Part is a rank's part of a graph, with indices of one width.
//
// A vertex has a number, its place in the source, and an index, which ranks use. Both lie in the block of its owner.
// They differ if the graph is ordered by degree.
type Part[V Index] struct {
	*Rows[V] // arcs that leave
	// Into are the rows of the arcs that lead here, by their tails. In an undirected graph they are Rows; otherwise
	// Into is nil until Reverse makes it.
	Into    *Rows[V]
	Counts  []uint64 // number of arcs that leave each vertex, as in the source
	places  []V      // in an ordered graph: the place of each vertex in the block, by number
	numbers []V      // inverse of places
}

// anyPart is the part of a Graph, whatever the width of its indices.
type anyPart interface {
	// eachFit calls do, in the order of the source, with the place of each vertex that has an arc to another vertex.
	eachFit(do func(place uint64))
	Place(number uint64) uint64
	Number(place uint64) uint64
}

func (p *Part[V]) eachFit(do func(place uint64)) {
	for number := range p.Counts {
		place := p.Place(uint64(number))
		if len(p.Row(V(place))) > 0 {
			do(place)
		}
	}
}

// Place returns the place in the rank's block of the vertex with this number. Both count from the start of the block.
func (p *Part[V]) Place(number uint64) uint64 {
	if p.places == nil {
		return number
	}
	return uint64(p.places[number])
}

// Number is the inverse of Place.
func (p *Part[V]) Number(place uint64) uint64 {
	if p.numbers == nil {
		return place
	}
	return uint64(p.numbers[place])
}

// BySource returns a new slice with values of this rank's vertices, given by place, in the order of the graph's source.
func BySource[V Index, T any](p *Part[V], byPlace []T) []T {
	all := make([]T, len(byPlace))
	for number := range all {
		all[number] = byPlace[p.Place(uint64(number))]
	}
	return all
}

// Arcs returns the number of arcs that leave and are in the rows.
func (p *Part[V]) Arcs() uint64 { return uint64(len(p.Heads)) }

// Order is the order of a rank's vertices in its memory. The owner of a vertex never depends on it.
type Order string

const (
	// OrderAuto is ByDegree for undirected graphs with a vertex of far more arcs than the average, else AsGiven.
	OrderAuto Order = "auto"
	// ByDegree puts vertices with many arcs first. Searches read these most, and they lie close together; vertices
	// without arcs lie apart. It is for undirected graphs.
	ByDegree Order = "degree"
	// AsGiven keeps the order of the source. It may be a good one: neighbours in a road network often have close ids.
	AsGiven Order = "given"
)

// Orders are all orders, by name.
var Orders = []Order{OrderAuto, ByDegree, AsGiven}

// skew is the ratio of the highest to the average degree at which OrderAuto orders a graph. Kronecker graphs of 2^14
// vertices have 80, of 2^20 about 2,000; road networks and Erdős-Rényi graphs have less than 10.
const skew = 32

// checkOrder returns an error if an order does not exist or does not suit the graph.
func checkOrder(order Order, undirected bool) error {
	switch order {
	case "", OrderAuto, AsGiven:
		return nil
	case ByDegree:
		if !undirected {
			return errors.New("order by degree is for undirected graphs: leave it out, or make arcs edges in both directions")
		}
		return nil
	}
	return fmt.Errorf("order %q is not one of auto, degree, given", order)
}

// isOrdered reports whether to order a graph by degree. All ranks call it, and get the same result.
func isOrdered(g *Graph, order Order, degrees []uint64) (bool, error) {
	if order == AsGiven || order == ByDegree || !g.Undirected {
		return order == ByDegree, nil
	}
	most := uint64(0)
	if len(degrees) > 0 {
		most = slices.Max(degrees)
	}
	most, err := pebble.AllReduce(g.Rank, most, pebble.Max[uint64])
	return float64(most)*float64(g.Vertices) >= skew*2*float64(g.Edges) && g.Edges > 0, err
}

// order gives this rank's vertices their places by degree, and replaces the arcs with arcs between the new indices.
//
// No rank asks for the place of another rank's vertex. The owner of each end of an undirected edge holds an arc to the
// other end. It sends an arc in the opposite direction, with the new index of its own vertex, to the other owner.
func (p *Part[V]) order(g *Graph, got *collector[V], isWeighed bool) error {
	first := V(g.First)
	p.setPlaces()
	var back collector[V]
	arcs := newArcs(g, "ordered arcs", isWeighed, func(vs []arc[V], weights []float64) {
		for i, v := range vs {
			vs[i].Tail = first + p.places[v.Tail-first]
		}
		back.add(vs, weights)
	})
	err := g.Rank.Epoch(func() error {
		for i, chunk := range got.chunks {
			for j, a := range chunk {
				chunk[j] = arc[V]{a.Head, first + p.places[a.Tail-first]}
			}
			arcs.sendAll(chunk, got.weightsOf(i))
			got.forget(i)
		}
		return nil
	}, pebble.Depth(1), pebble.Named("arcs"))
	*got = back
	if err == nil {
		err = arcs.check(g)
	}
	return err
}

// setPlaces sorts vertices by degree. Vertices of equal degree keep their order.
func (p *Part[V]) setPlaces() {
	n := len(p.Counts)
	p.numbers, p.places = make([]V, n), make([]V, n)
	for v := range p.numbers {
		p.numbers[v] = V(v)
	}
	degrees := p.Counts
	slices.SortFunc(p.numbers, func(a, b V) int {
		return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(a, b))
	})
	p.Counts = make([]uint64, n)
	for place, number := range p.numbers {
		p.places[number] = V(place)
		p.Counts[place] = degrees[number]
	}
}

// IsHigher reports whether a vertex is above another in the order by degree, and by index among equal degrees. Each
// vertex has few arcs that lead to a higher end.
func IsHigher[V Index](v, degree, than, thanDegree V) bool {
	return degree > thanDegree || degree == thanDegree && v > than
}
