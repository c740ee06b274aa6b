package distgraph

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// Graph is a rank's part of a distributed graph: a block of vertices, and the arcs that leave them. An undirected edge
// is two arcs, a self-loop too. Duplicate edges and self-loops are counted, as Graph500 counts them, and not kept: no
// search needs them. Of duplicates with weights the lightest is kept. It belongs to its rank's goroutine, and its
// fields are for reading.
type Graph struct {
	Name       string // of the source
	Vertices   uint64
	Edges      uint64 // as the source has them: an undirected one counts once
	Undirected bool
	Weighted   bool // the source has weights, whether they are used or not
	Ordered    bool // by degree

	Rank  *pebble.Rank
	Owner *distribution.BlockMap // of vertices, by index
	First uint64                 // index of this rank's first vertex
	Local int                    // number of this rank's vertices

	// Narrow and Wide are this rank's rows, with indices of 32 or 64 bits: one of the two, on all ranks the same, and the
	// other nil.
	Narrow *Part[uint32]
	Wide   *Part[uint64]

	names   names  // on rank 0
	serial  uint64 // tells this graph's targets from those of other graphs of the job
	kernels int
	part    anyPart // Narrow or Wide
}

// Build makes the graph of source, on all ranks together. Every arc travels once, as a pebble keyed by its tail.
//
// A file is read by rank 0 alone, twice: first to check it as a whole and to count its vertices, then to send its
// edges; so an error in the file is the same error on every rank, before anything is sent. A rank needs, for an arc
// that leaves its vertices, 12 bytes while it builds and 4 afterwards, and 8 bytes a vertex; twice the bytes an arc
// when there are 2^32 vertices or more. A weight takes 16 bytes more while it builds, and 8 afterwards. A graph that
// can't fit into the memory that is available is refused. Rank 0 also keeps the file's table of ids.
func Build(r *pebble.Rank, source Source) (*Graph, error) {
	if err := source.Check(); err != nil {
		return nil, err
	}
	if r.ID() != 0 {
		source.Progress, source.Phase = nil, nil
	}
	var ids names
	told, err := fromZero(r, func() ([]uint64, error) {
		o, names, err := source.survey()
		ids = names
		return []uint64{o.vertices, o.edges, bit(o.undirected), bit(o.weighted)}, err
	})
	if err != nil {
		return nil, err
	}
	o := outline{told[0], told[1], told[2] == 1, told[3] == 1}
	g := &Graph{
		Name: source.Name(), Vertices: o.vertices, Edges: o.edges, Undirected: o.undirected, Weighted: o.weighted,
		Rank: r, Owner: distribution.Block(o.vertices, r.Size()), names: ids, serial: r.Counters().Epochs,
	}
	g.First, g.Local = g.Owner.Key(r.ID(), 0), g.Owner.LocalLen(r.ID())
	if err := checkOrder(source.Order, o.undirected); err != nil {
		return nil, err
	}
	isWide := source.Wide || o.vertices > math.MaxUint32-uint64(r.Size())
	if err := g.mustFit(isWide, source.Weights != Unweighted); err != nil {
		return nil, err
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

// ArcsPerEdge is how many arcs the source's edges count for: each of an undirected graph is two.
func (g *Graph) ArcsPerEdge() uint64 { return 1 + bit(g.Undirected) }

// IndexBytes is the size of an index in memory.
func (g *Graph) IndexBytes() float64 { return indexBytes(g.Wide != nil) }

func indexBytes(isWide bool) float64 {
	if isWide {
		return 8
	}
	return 4
}

// mustFit refuses a graph before memory is allocated by numbers that a file merely claims. What a search needs is in
// it, but for what some kernels need beyond that, who look at those themselves.
func (g *Graph) mustFit(isWide, weighted bool) error {
	index, weight := indexBytes(isWide), 24*float64(bit(weighted))
	vertices, ranks := float64(g.Vertices), float64(g.Rank.Size())
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge())
	return g.Fits("build", (vertices*(16+5*index)+arcs*(4*index+weight))/ranks+vertices/8)
}

// Fits refuses what needs so many bytes on each rank when they are not there. what says what is done to the graph. All
// ranks call it.
func (g *Graph) Fits(what string, need float64) error {
	place := g.Rank.Place()
	least, err := pebble.AllReduce(g.Rank, cpu.MemoryAvailable()/int64(place.Last-place.First), pebble.Min[int64])
	if err != nil {
		return err
	}
	if need > float64(least) {
		return fmt.Errorf("%s graph %s: %d vertices and %d edges need about %.0f MB on each of %d ranks, %d MB are available: "+
			"use more hosts or a smaller graph", what, g.Name, g.Vertices, g.Edges, need/1e6, g.Rank.Size(), least/1e6)
	}
	return nil
}

// Owns reports whether the vertex with this index is one of this rank's.
func (g *Graph) Owns(index uint64) bool { return index-g.First < uint64(g.Local) }

// Kernel returns a function that names the targets of one more kernel on this graph, apart from those of others in the
// job. All ranks call it in the same order.
func (g *Graph) Kernel(app string) func(what string) string {
	g.kernels++
	kernel := g.kernels
	return func(what string) string { return fmt.Sprintf("%s %s %d.%d", app, what, g.serial, kernel) }
}

// target names a target of this graph itself.
func (g *Graph) target(what string) string { return fmt.Sprintf("graph %s %d", what, g.serial) }
