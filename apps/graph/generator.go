package graph

import "fmt"

// Generator makes a synthetic graph whose every edge depends on the seed and its own position alone, so any slice of
// the edges can be made by anyone, in any order, and the whole is the same. Its methods may be called from any
// goroutine.
type Generator interface {
	// Vertices returns the number of vertices, a power of two; ids are indices.
	Vertices() uint64
	// EdgeCount returns the number of edges, duplicates and self-loops counted.
	EdgeCount() uint64
	// Fill writes edges first, first+1, … to edges, all of it. It allocates nothing, and panics if that reaches beyond
	// EdgeCount.
	Fill(first uint64, edges []Edge)
	// Directed reports whether edges are arcs.
	Directed() bool
	// Describe names the graph and every parameter that it depends on.
	Describe() string
}

const (
	// ScaleMax is the largest scale of a generator: 2^48 vertices.
	ScaleMax = 48
	// EdgeFactorMax is the largest number of edges a vertex.
	EdgeFactorMax = 1 << 14
	// EdgeFactorDefault is the number of edges a vertex that Graph500 prescribes.
	EdgeFactorDefault = 16
)

// size is what all generators have in common.
type size struct {
	scale, edgeFactor int
	seed              uint64
}

func newSize(what string, scale, edgeFactor int, seed uint64) (size, error) {
	if scale < 1 || scale > ScaleMax {
		return size{}, fmt.Errorf("generate %s graph: scale %d is not one of 1 to %d", what, scale, ScaleMax)
	}
	if edgeFactor < 1 || edgeFactor > EdgeFactorMax {
		return size{}, fmt.Errorf("generate %s graph: edge factor %d is not one of 1 to %d", what, edgeFactor, EdgeFactorMax)
	}
	return size{scale, edgeFactor, seed}, nil
}

// Vertices implements Generator.
func (s size) Vertices() uint64 { return 1 << s.scale }

// EdgeCount implements Generator.
func (s size) EdgeCount() uint64 { return uint64(s.edgeFactor) << s.scale }

func (s size) check(first uint64, edges []Edge) {
	if count := s.EdgeCount(); first > count || uint64(len(edges)) > count-first {
		panic(fmt.Sprintf("graph: Fill of %d edges from %d in a graph of %d edges", len(edges), first, count))
	}
}
