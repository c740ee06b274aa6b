package bfs

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// Graph is a rank's part of a distributed graph: a block of vertices, and the arcs that leave them. An undirected edge is
// two arcs, a self-loop too. Duplicate edges and self-loops are counted, as Graph500 counts them, and not kept: no search needs
// them. It belongs to its rank's goroutine.
type Graph struct {
	Name       string // of the source
	Vertices   uint64
	Edges      uint64 // as the source has them: an undirected one counts once
	Undirected bool
	Weighted   bool // the source has weights, which no search uses
	Ordered    bool // by degree

	rank     *pebble.Rank
	owner    *distribution.BlockMap
	first    uint64 // index of this rank's first vertex
	local    int    // number of this rank's vertices
	names    names  // on rank 0
	serial   uint64 // tells this graph's targets from those of other graphs of the job
	searches int
	part     anyPart
	narrow   *part[uint32] // one of the two, and part
	wide     *part[uint64]
}

// Build makes the graph of source, on all ranks together. Every arc travels once, as a pebble keyed by its tail.
//
// A file is read by rank 0 alone, twice: first to check it as a whole and to count its vertices, then to send its edges; so
// an error in the file is the same error on every rank, before anything is sent. A rank needs, for an arc that leaves its
// vertices, 12 bytes while it builds and 4 afterwards, and 8 bytes a vertex; twice the bytes an arc when there are 2^32
// vertices or more. A graph that can't fit into the memory that is available is refused. Rank 0 also keeps the file's
// table of ids.
func Build(r *pebble.Rank, source Source) (*Graph, error) {
	if err := source.Check(); err != nil {
		return nil, err
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
		rank: r, owner: distribution.Block(o.vertices, r.Size()), names: ids, serial: r.Counters().Epochs,
	}
	g.first, g.local = g.owner.Key(r.ID(), 0), g.owner.LocalLen(r.ID())
	if err := checkOrder(source.Order, o.undirected); err != nil {
		return nil, err
	}
	isWide := source.wide || o.vertices > math.MaxUint32-uint64(r.Size())
	if err := g.mustFit(isWide); err != nil {
		return nil, err
	}
	if isWide {
		g.wide, err = buildPart[uint64](g, source, o)
		g.part = g.wide
	} else {
		g.narrow, err = buildPart[uint32](g, source, o)
		g.part = g.narrow
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

func arcsPerEdge(undirected bool) int {
	if undirected {
		return 2
	}
	return 1
}

// mustFit refuses a graph before memory is allocated by numbers that a file merely claims. What a search needs is in it, but for
// what some modes need beyond that: NewSearch looks at those.
func (g *Graph) mustFit(isWide bool) error {
	index := indexBytes(isWide)
	vertices, ranks := float64(g.Vertices), float64(g.rank.Size())
	arcs := float64(g.Edges) * float64(arcsPerEdge(g.Undirected))
	return g.fits("build", (vertices*(16+5*index)+arcs*4*index)/ranks+vertices/8)
}

func indexBytes(isWide bool) float64 {
	if isWide {
		return 8
	}
	return 4
}

// fits refuses what needs so many bytes on each rank when they are not there.
func (g *Graph) fits(what string, need float64) error {
	place := g.rank.Place()
	least, err := pebble.AllReduce(g.rank, cpu.MemoryAvailable()/int64(place.Last-place.First), func(a, b int64) int64 { return min(a, b) })
	if err != nil {
		return err
	}
	if need > float64(least) {
		return fmt.Errorf("%s graph %s: %d vertices and %d edges need about %.0f MB on each of %d ranks, %d MB are available: "+
			"use more hosts or a smaller graph", what, g.Name, g.Vertices, g.Edges, need/1e6, g.rank.Size(), least/1e6)
	}
	return nil
}

// owns reports whether the vertex with this index is one of this rank's.
func (g *Graph) owns(index uint64) bool { return index-g.first < uint64(g.local) }

// target names a target of this graph.
func (g *Graph) target(what string) string { return fmt.Sprintf("bfs %s %d", what, g.serial) }
