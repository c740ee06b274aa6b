package graph

import (
	"container/heap"
	"fmt"
	"math"
)

// Dijkstra finds the shortest paths from root along arcs, both ways in an undirected graph, by their weights, none of
// which is below 0. dist holds the length of a shortest path, +Inf for a vertex that is not reached, parent the vertex
// before the last on one; the root is its own parent. A length is the sum of the weights from the root on, rounded at
// each step. Rounding keeps order, so the lengths are the same whichever way they are found. It panics if there is no
// such root, or if the graph has no weights.
func Dijkstra(c *CSR, root uint64) (dist []float64, parent []int64) {
	if root >= c.Vertices() || c.Weights == nil && len(c.Heads) > 0 {
		panic(fmt.Sprintf("graph: Dijkstra from vertex %d in a graph of %d vertices and %d weights", root, c.Vertices(), len(c.Weights)))
	}
	dist, parent = make([]float64, c.Vertices()), unreached(c.Vertices())
	for v := range dist {
		dist[v] = math.Inf(1)
	}
	dist[root], parent[root] = 0, int64(root)
	for waiting := (nearest{{0, root}}); len(waiting) > 0; {
		at := heap.Pop(&waiting).(reach)
		if at.dist > dist[at.vertex] {
			continue // a shorter path was found meanwhile
		}
		for i, w := range c.Row(at.vertex) {
			if d := at.dist + c.WeightsOf(at.vertex)[i]; d < dist[w] {
				dist[w], parent[w] = d, int64(at.vertex)
				heap.Push(&waiting, reach{d, w})
			}
		}
	}
	return dist, parent
}

// reach is a vertex that can be reached by a path of some length.
type reach struct {
	dist   float64
	vertex uint64
}

// nearest is a heap of reaches.
type nearest []reach

func (n nearest) Len() int           { return len(n) }
func (n nearest) Less(i, j int) bool { return n[i].dist < n[j].dist }
func (n nearest) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *nearest) Push(x any)        { *n = append(*n, x.(reach)) }

func (n *nearest) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}

// ValidatePaths checks shortest paths from root by the rules of Graph500, and returns what breaks one, or nil:
//
//  1. The parents form a tree rooted at root, without cycles, which spans exactly what has a distance.
//  2. The root is at distance 0. Each tree edge is an arc of the graph, and the child's distance is the parent's and the arc's weight.
//  3. No arc leads from a vertex at some distance to one that is further than that and the arc's weight, or not reached.
//
// Together they prove the distances the shortest. It works in O(V+E) and panics if the slices don't have one entry a
// vertex, or if there is no such root.
func ValidatePaths(c *CSR, root uint64, parent []int64, dist []float64) error {
	n := c.Vertices()
	if uint64(len(parent)) != n || uint64(len(dist)) != n || root >= n {
		panic(fmt.Sprintf("graph: ValidatePaths of %d parents and %d distances from root %d in a graph of %d vertices", len(parent), len(dist), root, n))
	}
	s := &search{csr: c, root: root, parent: parent}
	if err := s.checkTree(); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if dist[root] != 0 {
		return fmt.Errorf("paths: the root %d is at distance %v, not 0", root, dist[root])
	}
	fits := make([]bool, n) // an arc from its parent makes the vertex's distance
	fits[root] = true
	for v, d := range dist {
		if !(d >= 0) || (parent[v] == Unreached) != math.IsInf(d, 1) {
			return fmt.Errorf("paths: vertex %d has parent %d at distance %v", v, parent[v], d)
		}
		if math.IsInf(d, 1) {
			continue
		}
		for i, w := range c.Row(uint64(v)) {
			through := d + c.WeightsOf(uint64(v))[i]
			if dist[w] > through {
				return fmt.Errorf("paths: arc %d -> %d leads to distance %v, and the vertex is at %v", v, w, through, dist[w])
			}
			if parent[w] == int64(v) && dist[w] == through {
				fits[w] = true
			}
		}
	}
	for v, p := range parent {
		if p != Unreached && !fits[v] {
			return fmt.Errorf("paths: no arc %d -> %d makes the distance %v of the latter", p, v, dist[v])
		}
	}
	return nil
}
