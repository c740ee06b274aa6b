package graph

import (
	"math"
	"strconv"
	"strings"
)

// Weighted is a generator whose edges have weights of their own.
type Weighted interface {
	Generator
	// Weigh writes the weights of edges first, first+1, … to weights, all of it.
	Weigh(first uint64, weights []float64)
}

const uniformWeights = 4 // purpose of a random stream

// Uniform are random weights for edges: each depends on the seed and the edge's position alone, as the edges of a
// Generator do.
type Uniform struct{ words stream }

// UniformWeights returns weights drawn uniformly from [0, 1), as Graph500 weighs its graphs for shortest paths.
func UniformWeights(seed uint64) Uniform { return Uniform{newStream(seed, uniformWeights)} }

// Weigh writes the weights of edges first, first+1, … to weights, all of it. A weight costs one random word.
func (u Uniform) Weigh(first uint64, weights []float64) {
	for i := range weights {
		weights[i] = float64(u.words.at(first+uint64(i))>>11) / (1 << 53)
	}
}

// weightBytesMax is the longest number that is read as a weight.
const weightBytesMax = 64

// edgeWeight reads the weight of an edge, and keeps it if weights were asked for.
func (l *lexer) edgeWeight(what string) error {
	if !l.weighs {
		return l.value(what)
	}
	l.blanks()
	var text []byte
	for b, ok := l.peek(); ok && !isBlank(b) && b != '\n'; b, ok = l.peek() {
		if len(text) == weightBytesMax {
			return l.errorf(ErrSyntax, "found %q, longer than any weight", text)
		}
		text = append(text, b)
		l.pos++
	}
	if len(text) == 0 {
		return l.unexpected(what)
	}
	weight, err := strconv.ParseFloat(strings.Map(fortran, string(text)), 64)
	switch {
	case err != nil && !math.IsInf(weight, 0):
		return l.errorf(ErrSyntax, "found %q where %s is wanted", text, what)
	case !(weight >= 0 && weight <= math.MaxFloat64): // NaN too
		return l.errorf(ErrRange, "%s is %s, which is no finite number of 0 or more", what, text)
	}
	l.weight = weight + 0 // no -0
	return nil
}

// fortran turns the exponents of Fortran into those that others read, and keeps out what only Go takes for a number.
func fortran(r rune) rune {
	switch r {
	case 'd', 'D':
		return 'e'
	case '_', 'x', 'X', 'p', 'P':
		return '?'
	}
	return r
}

// WeightedEdges is Edges for a file that was opened with Weights: weights[i] is that of edges[i]. Both slices have one
// length.
func (f *File) WeightedEdges(edges []Edge, weights []float64) (int, error) {
	if !f.lex.weighs {
		panic("graph: WeightedEdges of a file that was opened without Weights")
	}
	return f.read(edges, weights[:len(edges)])
}
