package graph

import "math"

// Dangling is the use of the score of a vertex without arcs in an iteration of PageRank.
type Dangling string

const (
	// Lose drops it, as the GAP benchmark suite does: the scores add up to less than 1.
	Lose Dangling = "lose"
	// Spread divides it among all vertices, as LDBC Graphalytics, NetworkX and igraph do.
	Spread Dangling = "spread"
	// Self leaves it where it is, as if the vertex had an arc to itself.
	Self Dangling = "self"
)

// Danglings are all of them, by name.
var Danglings = []Dangling{Lose, Spread, Self}

// PageRank ranks the vertices of a graph by its arcs: a vertex has (1-damping)/n, and damping times the sum of what the
// tails of its arcs have, each over the number of arcs that leave it. dangling says what becomes of the scores of
// vertices without arcs. Every entry of a row counts: see CSR.Distinct. It starts at 1/n each, and ends when an
// iteration changes all scores together by less than tolerance, or after the given number of iterations. All scores of
// an iteration are made of those of the one before. An iteration costs O(V+E).
func PageRank(c *CSR, damping, tolerance float64, iterations int, dangling Dangling) (scores []float64) {
	n := c.Vertices()
	scores = make([]float64, n)
	for v := range scores {
		scores[v] = 1 / float64(n)
	}
	for range iterations {
		next, lost := divide(c, scores, dangling)
		change := 0.0
		for v := range next {
			next[v] = (1-damping)/float64(n) + damping*(next[v]+lost/float64(n))
			change += math.Abs(next[v] - scores[v])
		}
		scores = next
		if change < tolerance {
			break
		}
	}
	return scores
}

// divide gives the scores to the heads of arcs, and returns beside these what is to be divided among all vertices.
func divide(c *CSR, scores []float64, dangling Dangling) (next []float64, lost float64) {
	next = make([]float64, len(scores))
	for v, score := range scores {
		row := c.Row(uint64(v))
		for _, w := range row {
			next[w] += score / float64(len(row))
		}
		switch {
		case len(row) > 0:
		case dangling == Spread:
			lost += score
		case dangling == Self:
			next[v] += score
		}
	}
	return next, lost
}
