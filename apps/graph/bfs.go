package graph

import "fmt"

// Unreached stands for the distance and the parent of a vertex that a search did not reach.
const Unreached = -1

// BFS searches breadth-first from root along arcs, both ways in an undirected graph. dist holds the number of arcs on a
// shortest path, parent the vertex before the last on one; the root is its own parent. It panics if there is no such
// root.
func BFS(c *CSR, root uint64) (dist, parent []int64) {
	if root >= c.Vertices() {
		panic(fmt.Sprintf("graph: BFS from vertex %d in a graph of %d vertices", root, c.Vertices()))
	}
	dist, parent = unreached(c.Vertices()), unreached(c.Vertices())
	dist[root], parent[root] = 0, int64(root)
	for queue := []uint64{root}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, w := range c.Row(v) {
			if dist[w] == Unreached {
				dist[w], parent[w] = dist[v]+1, int64(v)
				queue = append(queue, w)
			}
		}
	}
	return dist, parent
}

func unreached(n uint64) []int64 {
	s := make([]int64, n)
	for v := range s {
		s[v] = Unreached
	}
	return s
}

// Summary is what a search found, in three numbers that do not depend on which of several shortest paths it took.
type Summary struct {
	Reached uint64 // vertices, the root among them
	Depth   int64  // largest distance
	Sum     uint64 // of all distances
}

// Summarize sums up the distances of a search; Unreached ones do not count.
func Summarize(dist []int64) Summary {
	var s Summary
	for _, d := range dist {
		if d != Unreached {
			s.Reached++
			s.Sum += uint64(d)
			s.Depth = max(s.Depth, d)
		}
	}
	return s
}

// TraversedEdges returns the number of edges by which Graph500 divides the time of a search: the input edges, each
// counted once, multiplicities and self-loops included, that lie in the component reached. For a directed graph, where
// reached vertices are no component, it counts the arcs whose tail was reached: those that a search has to look at.
func TraversedEdges(c *CSR, dist []int64) uint64 {
	entries := 0
	for v, d := range dist {
		if d != Unreached {
			entries += len(c.Row(uint64(v)))
		}
	}
	return c.edgesOf(uint64(entries))
}
