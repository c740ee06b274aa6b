package graph

import "math"

// Dangling is the use that an iteration of PageRank makes of the score of a vertex without arcs.
type Dangling string

const (
	// Lose drops it, as the GAP benchmark suite does. The sum of the scores is then less than 1.
	Lose Dangling = "lose"
	// Spread divides it among all vertices, as LDBC Graphalytics, NetworkX and igraph do.
	Spread Dangling = "spread"
	// Self keeps it at the vertex, as if the vertex had an arc to itself.
	Self Dangling = "self"
)

// Danglings are all values of Dangling, by name.
var Danglings = []Dangling{Lose, Spread, Self}

// PageRank ranks the vertices of a graph by its arcs. The score of a vertex is (1-damping)/n plus damping times the
// sum, over its incoming arcs, of the tail's score divided by the tail's number of outgoing arcs. dangling determines
// the use of the scores of vertices without arcs. Every entry of a row counts: see CSR.Distinct. Scores start at 1/n.
// It ends when the changes of an iteration add up to less than tolerance, or after the given number of iterations. All
// scores of an iteration depend on those of the iteration before. An iteration costs O(V+E).
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

// divide distributes the scores to the heads of arcs, and also returns the sum to divide among all vertices.
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
