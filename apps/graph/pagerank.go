package graph

import "math"

// PageRank ranks the vertices of a graph by its arcs, as the GAP benchmark suite does: a vertex has (1-damping)/n, and
// damping times the sum of what the tails of its arcs have, each over the number of arcs that leave it. What vertices
// without arcs have is lost. Duplicates and self-loops don't count. It starts at 1/n each, and ends when an iteration
// changes all scores together by less than tolerance, or after so many iterations. All scores of an iteration are made
// of those of the one before. An iteration costs O(V+E).
func PageRank(c *CSR, damping, tolerance float64, iterations int) (scores []float64) {
	c = c.Simple()
	n := c.Vertices()
	base := (1 - damping) / float64(n)
	scores = make([]float64, n)
	for v := range scores {
		scores[v] = 1 / float64(n)
	}
	for range iterations {
		next := make([]float64, n)
		for v := range n {
			row := c.Row(v)
			for _, w := range row {
				next[w] += scores[v] / float64(len(row))
			}
		}
		change := 0.0
		for v := range next {
			next[v] = base + damping*next[v]
			change += math.Abs(next[v] - scores[v])
		}
		scores = next
		if change < tolerance {
			break
		}
	}
	return scores
}
