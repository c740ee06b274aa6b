package graph

import (
	"fmt"
	"math"
)

// Brandes adds to scores what shortest paths from root contribute to the betweenness centrality of each vertex: for
// every other vertex, the share of the shortest paths to it that pass through (Brandes, A Faster Algorithm for
// Betweenness Centrality, 2001). Arcs count 1 each; duplicates and self-loops change nothing. It returns how many
// vertices it reached, and false when there are more shortest paths than a float64 can count. It works in O(V+E), and
// panics if there is no such root or not one score a vertex.
func Brandes(c *CSR, root uint64, scores []float64) (reached int, ok bool) {
	if root >= c.Vertices() || uint64(len(scores)) != c.Vertices() {
		panic(fmt.Sprintf("graph: Brandes from vertex %d in a graph of %d vertices with %d scores", root, c.Vertices(), len(scores)))
	}
	b := counting{CSR: c, dist: unreached(c.Vertices()), paths: make([]float64, len(scores)), met: make([]uint64, len(scores))}
	order := b.count(root)
	depend := make([]float64, len(scores))
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		if math.IsInf(b.paths[v], 1) {
			return len(order), false
		}
		b.each(v, func(w uint64) {
			if b.dist[w] == b.dist[v]+1 {
				depend[v] += b.paths[v] / b.paths[w] * (1 + depend[w])
			}
		})
		if v != root {
			scores[v] += depend[v]
		}
	}
	return len(order), true
}

// counting counts shortest paths.
type counting struct {
	*CSR
	dist  []int64
	paths []float64
	met   []uint64 // one more than the last vertex whose row has led here
}

// count returns the vertices that are reached, level by level.
func (b *counting) count(root uint64) []uint64 {
	b.dist[root], b.paths[root] = 0, 1
	order := []uint64{root}
	for i := 0; i < len(order); i++ {
		v := order[i]
		b.each(v, func(w uint64) {
			if b.dist[w] == Unreached {
				b.dist[w] = b.dist[v] + 1
				order = append(order, w)
			}
			if b.dist[w] == b.dist[v]+1 {
				b.paths[w] += b.paths[v]
			}
		})
	}
	clear(b.met)
	return order
}

// each calls do once for each vertex that arcs of v lead to.
func (b *counting) each(v uint64, do func(w uint64)) {
	for _, w := range b.Row(v) {
		if b.met[w] != v+1 {
			b.met[w] = v + 1
			do(w)
		}
	}
}
