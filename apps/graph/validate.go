package graph

import "fmt"

// Violation is a breach of one of the five rules of Validate.
type Violation struct {
	Rule   int    // 1 to 5
	Detail string // which vertices, and what about them
}

// Error tells the rule's number, the vertices and what is wrong.
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
//  3. Each edge joins vertices whose levels differ by at most one, or both unreached. For an arc of a directed graph: if
//     its tail is reached, so is its head, at most one level below.
//  4. The tree spans exactly what is reached: a vertex has a parent if and only if it has a level.
//  5. Each tree edge is an edge of the graph.
//
// Together they prove that dist holds the shortest distances. It works in O(V+E) and panics if the slices don't have
// one entry a vertex, or if there is no such root.
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

// checkTree is rule 1. It follows parents from each vertex up to one that is known to hang on the root; every vertex is
// passed once.
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
			return violation(1, "following parents from vertex %d leads round a cycle through %d and never to the root %d", start, v, s.root)
		}
		for v = uint64(start); state[v] == pending; v = uint64(s.parent[v]) {
			state[v] = hangs
		}
	}
	return nil
}

// checkSpan is rule 4, as far as rule 3 does not say it already.
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

// checkEdgeLevels is rule 3. Undirected edges stand in the rows of both ends, so one direction at a time is enough.
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
