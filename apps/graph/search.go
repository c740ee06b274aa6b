package graph

import (
	"container/heap"
	"fmt"
	"math"
)

// Unreached stands for the distance and the parent of a vertex that a search did not reach.
const Unreached = -1

// BFS searches breadth-first from root along arcs, in both directions in an undirected graph. dist holds the number of
// arcs on a shortest path, parent the vertex before the last on it; the root is its own parent. It panics if root is no
// vertex.
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

// Summary is the result of a search in three numbers. They do not depend on the choice among shortest paths.
type Summary struct {
	Reached uint64 // number of vertices, with the root
	Depth   int64  // largest distance
	Sum     uint64 // of all distances
}

// Summarize returns the summary of a search's distances. Unreached ones do not count.
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

// TraversedEdges returns the number of edges that Graph500 divides the time of a search by: the input edges in the
// component reached, each counted once, with multiplicities and self-loops. In a directed graph, where reached vertices
// are no component, it counts the arcs whose tail was reached, which a search must look at.
func TraversedEdges(c *CSR, dist []int64) uint64 {
	entries := 0
	for v, d := range dist {
		if d != Unreached {
			entries += len(c.Row(uint64(v)))
		}
	}
	return c.edgesOf(uint64(entries))
}

// Brandes adds to scores the part of each vertex's betweenness centrality that comes from root: for every other vertex,
// the share of the shortest paths to it that pass through (Brandes, A Faster Algorithm for Betweenness Centrality,
// 2001). Arcs count 1 each; duplicates and self-loops change nothing. It returns the number of vertices reached, and
// false if there are more shortest paths than a float64 can count. It costs O(V+E). It panics if root is no vertex, or
// if scores does not have one entry per vertex.
func Brandes(c *CSR, root uint64, scores []float64) (reached int, ok bool) {
	if root >= c.Vertices() || uint64(len(scores)) != c.Vertices() {
		panic(fmt.Sprintf("graph: Brandes from vertex %d in a graph of %d vertices with %d scores", root, c.Vertices(),
			len(scores)))
	}
	b := counting{
		CSR: c, dist: unreached(c.Vertices()), paths: make([]float64, len(scores)), met: make([]uint64, len(scores)),
	}
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
	met   []uint64 // one more than the last vertex whose row led here
}

// count returns the reached vertices, level by level.
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

// each calls do once for each different head of v's arcs.
func (b *counting) each(v uint64, do func(w uint64)) {
	for _, w := range b.Row(v) {
		if b.met[w] != v+1 {
			b.met[w] = v + 1
			do(w)
		}
	}
}

// Dijkstra finds the shortest paths from root along arcs, in both directions in an undirected graph, by their weights
// of 0 or more. dist holds the length of a shortest path, +Inf for a vertex that is not reached, parent the vertex
// before the last on it; the root is its own parent. A length is the sum of the weights from the root on, rounded at
// each step. Rounding keeps order, so the lengths do not depend on the algorithm. It panics if root is no vertex, or if
// the graph has no weights.
func Dijkstra(c *CSR, root uint64) (dist []float64, parent []int64) {
	if root >= c.Vertices() || c.Weights == nil && len(c.Heads) > 0 {
		panic(fmt.Sprintf("graph: Dijkstra from vertex %d in a graph of %d vertices and %d weights", root, c.Vertices(),
			len(c.Weights)))
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

// reach is a vertex and the length of a path to it.
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

// ValidatePaths checks shortest paths from root by the rules of Graph500, and returns the first breach, or nil:
//
//  1. The parents form a tree rooted at root, without cycles, which spans exactly the vertices with a distance.
//  2. The root is at distance 0. Each tree edge is an arc of the graph, and the child's distance is the parent's plus
//     the arc's weight.
//  3. No arc leads from a reached vertex to a vertex that is further away than the arc's weight, or not reached.
//
// Together they prove the distances the shortest. It costs O(V+E), and panics if a slice does not have one entry per
// vertex, or if root is no vertex.
func ValidatePaths(c *CSR, root uint64, parent []int64, dist []float64) error {
	n := c.Vertices()
	if uint64(len(parent)) != n || uint64(len(dist)) != n || root >= n {
		panic(fmt.Sprintf("graph: ValidatePaths of %d parents and %d distances from root %d in a graph of %d vertices",
			len(parent), len(dist), root, n))
	}
	s := &search{csr: c, root: root, parent: parent}
	if err := s.checkTree(); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if dist[root] != 0 {
		return fmt.Errorf("paths: the root %d is at distance %v, not 0", root, dist[root])
	}
	fits := make([]bool, n) // the vertex's distance comes from an arc of its parent
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

// Violation is a breach of one of the five rules of Validate.
type Violation struct {
	Rule   int    // 1 to 5
	Detail string // the vertices and the breach
}

// Error returns a text with the rule's number, the vertices and the breach.
func (v *Violation) Error() string {
	return fmt.Sprintf("validate bfs tree: rule %d: %s", v.Rule, v.Detail)
}

func violation(rule int, format string, args ...any) error {
	return &Violation{rule, fmt.Sprintf(format, args...)}
}

// search is a result under validation.
type search struct {
	csr          *CSR
	root         uint64
	parent, dist []int64
}

// Validate checks the result of a search from root by the five rules of Graph500, and returns a *Violation or nil:
//
//  1. The parents form a tree rooted at root, without cycles.
//  2. Each tree edge joins vertices whose levels differ by one.
//  3. Each edge joins vertices whose levels differ by at most one, or both unreached. For an arc of a directed graph:
//     if its tail is reached, so is its head, at most one level below.
//  4. The tree spans exactly the reached vertices: a vertex has a parent if and only if it has a level.
//  5. Each tree edge is an edge of the graph.
//
// Together they prove that dist holds the shortest distances. It costs O(V+E), and panics if a slice does not have one
// entry per vertex, or if root is no vertex.
func Validate(c *CSR, root uint64, parent, dist []int64) error {
	n := c.Vertices()
	if uint64(len(parent)) != n || uint64(len(dist)) != n || root >= n {
		panic(fmt.Sprintf("graph: Validate of %d parents and %d levels from root %d in a graph of %d vertices",
			len(parent), len(dist), root, n))
	}
	s := &search{c, root, parent, dist}
	for _, rule := range []func() error{s.checkTree, s.checkSpan, s.checkTreeLevels, s.checkEdgeLevels, s.checkTreeEdges} {
		if err := rule(); err != nil {
			return err
		}
	}
	return nil
}

// checkTree is rule 1. It follows parents from each vertex to one connected to the root, and passes every vertex once.
func (s *search) checkTree() error {
	if s.parent[s.root] != int64(s.root) {
		return violation(1, "the root %d has parent %d, not itself", s.root, s.parent[s.root])
	}
	const pending, hangs = 1, 2
	state := make([]byte, len(s.parent))
	state[s.root] = hangs
	for start, up := range s.parent {
		if up == Unreached {
			continue
		}
		v := uint64(start)
		for state[v] == 0 {
			state[v] = pending
			p := s.parent[v]
			if p < 0 || p >= int64(len(s.parent)) {
				return violation(1, "vertex %d has parent %d, which is no vertex on a path to the root %d", v, p, s.root)
			}
			v = uint64(p)
		}
		if state[v] == pending {
			return violation(1, "following parents from vertex %d leads round a cycle through %d and never to the root %d",
				start, v, s.root)
		}
		for v = uint64(start); state[v] == pending; v = uint64(s.parent[v]) {
			state[v] = hangs
		}
	}
	return nil
}

// checkSpan is rule 4, except for the part that rule 3 covers.
func (s *search) checkSpan() error {
	for v, d := range s.dist {
		switch p := s.parent[v]; {
		case d < Unreached:
			return violation(4, "vertex %d has level %d", v, d)
		case d != Unreached && p == Unreached:
			return violation(4, "vertex %d is reached at level %d but has no parent", v, d)
		case d == Unreached && p != Unreached:
			return violation(4, "vertex %d has parent %d but no level", v, p)
		}
	}
	return nil
}

// checkTreeLevels is rule 2.
func (s *search) checkTreeLevels() error {
	if s.dist[s.root] != 0 {
		return violation(2, "the root %d is at level %d, not 0", s.root, s.dist[s.root])
	}
	for v, p := range s.parent {
		if p != Unreached && uint64(v) != s.root && s.dist[v] != s.dist[p]+1 {
			return violation(2, "vertex %d at level %d has parent %d at level %d, not one less", v, s.dist[v], p, s.dist[p])
		}
	}
	return nil
}

// checkEdgeLevels is rule 3. Undirected edges are in the rows of both ends, so one direction at a time is enough.
func (s *search) checkEdgeLevels() error {
	for v, level := range s.dist {
		if level == Unreached {
			continue
		}
		for _, w := range s.csr.Row(uint64(v)) {
			switch {
			case s.dist[w] == Unreached:
				return violation(3, "edge %d -> %d leads from level %d to a vertex that is not reached", v, w, level)
			case s.dist[w] > level+1:
				return violation(3, "edge %d -> %d leads from level %d to level %d, more than one below", v, w, level, s.dist[w])
			}
		}
	}
	return nil
}

// checkTreeEdges is rule 5.
func (s *search) checkTreeEdges() error {
	joined := make([]bool, len(s.parent))
	joined[s.root] = true
	for v := range s.parent {
		for _, w := range s.csr.Row(uint64(v)) {
			if s.parent[w] == int64(v) {
				joined[w] = true
			}
		}
	}
	for v, p := range s.parent {
		if p != Unreached && !joined[v] {
			return violation(5, "vertex %d has parent %d, but the graph has no edge %d -> %d", v, p, p, v)
		}
	}
	return nil
}
