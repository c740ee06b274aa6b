package graph

import (
	"fmt"
)

// Generator makes a synthetic graph. Every edge depends only on the seed and its own position, so any slice of the
// edges can be made anywhere, in any order, and the whole is the same. Its methods may be called from any goroutine.
type Generator interface {
	// Vertices returns the number of vertices, a power of two; ids are indices.
	Vertices() uint64
	// EdgeCount returns the number of edges, including duplicates and self-loops.
	EdgeCount() uint64
	// Fill fills edges with edges first, first+1, … of the graph. It allocates nothing, and panics beyond EdgeCount.
	Fill(first uint64, edges []Edge)
	// Directed reports whether edges are arcs.
	Directed() bool
	// Describe returns the kind of the graph and every parameter that it depends on.
	Describe() string
}

const (
	// ScaleMax is the largest scale of a generator: 2^48 vertices.
	ScaleMax = 48
	// EdgeFactorMax is the largest number of edges per vertex.
	EdgeFactorMax = 1 << 14
	// EdgeFactorDefault is the number of edges per vertex that Graph500 prescribes.
	EdgeFactorDefault = 16
)

// size is common to all generators.
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

// golden is the odd number nearest to 2^64 divided by the golden ratio; its multiples spread over all of uint64.
const golden = 0x9e3779b97f4a7c15

// mix is a bijection on 64 bits. Each output bit depends on all input bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// stream is a sequence of random words with random access: the SplitMix64 sequence from a mixed seed.
type stream uint64

// newStream returns the stream for a seed; streams for different purposes are independent.
func newStream(seed, purpose uint64) stream { return stream(mix(mix(seed+golden) ^ purpose*golden)) }

// at returns the i-th word.
func (s stream) at(i uint64) uint64 { return mix(uint64(s) + (i+1)*golden) }

const erdosRenyiEdges = 3 // purpose of the random stream

type erdosRenyi struct {
	size
	words stream
}

// ErdosRenyi returns a directed graph of 2^scale vertices and edgeFactor·2^scale arcs. Both ends of each arc are drawn
// uniformly and independently (the G(n,m) model with repetition). An arc costs two random words.
func ErdosRenyi(scale, edgeFactor int, seed uint64) (Generator, error) {
	s, err := newSize("Erdős-Rényi", scale, edgeFactor, seed)
	if err != nil {
		return nil, err
	}
	return &erdosRenyi{s, newStream(seed, erdosRenyiEdges)}, nil
}

// Fill implements Generator.
func (g *erdosRenyi) Fill(first uint64, edges []Edge) {
	g.check(first, edges)
	drop := 64 - g.scale
	for i := range edges {
		position := 2 * (first + uint64(i))
		edges[i] = Edge{g.words.at(position) >> drop, g.words.at(position+1) >> drop}
	}
}

// Directed implements Generator.
func (g *erdosRenyi) Directed() bool { return true }

// Describe implements Generator.
func (g *erdosRenyi) Describe() string {
	return fmt.Sprintf("Erdős-Rényi scale %d, edge factor %d, seed %d", g.scale, g.edgeFactor, g.seed)
}

// Weighted is a generator whose edges have weights.
type Weighted interface {
	Generator
	// Weigh fills weights with the weights of edges first, first+1, ….
	Weigh(first uint64, weights []float64)
}

const uniformWeights = 4 // purpose of a random stream

// Uniform are random weights for edges. Each depends only on the seed and the edge's position.
type Uniform struct{ words stream }

// UniformWeights returns weights drawn uniformly from [0, 1), as Graph500 weighs its graphs for shortest paths.
func UniformWeights(seed uint64) Uniform { return Uniform{newStream(seed, uniformWeights)} }

// Weigh fills weights with the weights of edges first, first+1, …. A weight costs one random word.
func (u Uniform) Weigh(first uint64, weights []float64) {
	for i := range weights {
		weights[i] = float64(u.words.at(first+uint64(i))>>11) / (1 << 53)
	}
}
