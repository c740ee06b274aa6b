package graph

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// twoParts is 0-1-2-3 in a row with the shortcut 0-2 and a loop at 3, apart from it 4-5 twice, and an isolated 6.
var twoParts = []Edge{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {3, 3}, {4, 5}, {5, 4}}

func TestRows(t *testing.T) {
	arcs := NewCSR(7, twoParts, true)
	require.Equal(t, []uint64{1, 2}, arcs.Row(0))
	require.Equal(t, []uint64{3}, arcs.Row(3))
	require.Empty(t, arcs.Row(6))
	require.Equal(t, uint64(7), arcs.Edges())
	both := NewCSR(7, twoParts, false)
	require.Equal(t, []uint64{1, 3, 0}, both.Row(2))
	require.Equal(t, []uint64{2, 3, 3}, both.Row(3))
	require.Equal(t, []uint64{5, 5}, both.Row(4))
	require.Equal(t, uint64(7), both.Edges())
	require.Equal(t, uint64(7), both.Vertices())
	require.PanicsWithValue(t, "graph: edge 0 -> 7 in a graph of 7 vertices", func() { NewCSR(7, []Edge{{0, 7}}, true) })
	require.Equal(t, uint64(0), NewCSR(0, nil, true).Edges())
}

func TestSearch(t *testing.T) {
	arcs := NewCSR(7, twoParts, true)
	dist, parent := BFS(arcs, 1)
	require.Equal(t, []int64{-1, 0, 1, 2, -1, -1, -1}, dist)
	require.Equal(t, []int64{-1, 1, 1, 2, -1, -1, -1}, parent)
	require.Equal(t, Summary{Reached: 3, Depth: 2, Sum: 3}, Summarize(dist))
	require.Equal(t, uint64(3), TraversedEdges(arcs, dist), "1-2, 2-3 and the loop")

	both := NewCSR(7, twoParts, false)
	dist, parent = BFS(both, 1)
	require.Equal(t, []int64{1, 0, 1, 2, -1, -1, -1}, dist)
	require.Equal(t, []int64{1, 1, 1, 2, -1, -1, -1}, parent)
	require.Equal(t, uint64(5), TraversedEdges(both, dist))
	dist, _ = BFS(both, 4)
	require.Equal(t, uint64(2), TraversedEdges(both, dist), "each copy counts")
	dist, _ = BFS(both, 6)
	require.Equal(t, Summary{Reached: 1}, Summarize(dist))
	require.Zero(t, TraversedEdges(both, dist))
	require.Panics(t, func() { BFS(both, 7) })
}

// TestValidateAgrees: on small random graphs, exactly the results with the distances of BFS and with parents on
// shortest paths are valid. One entry of a true result is changed at random.
func TestValidateAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 8).Draw(t, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			return Edge{vertex.Draw(t, "from"), vertex.Draw(t, "to")}
		}), 0, 20).Draw(t, "edges")
		c := NewCSR(n, edges, rapid.Bool().Draw(t, "directed"))
		root := vertex.Draw(t, "root")
		trueDist, parent := BFS(c, root)
		require.NoError(t, Validate(c, root, parent, trueDist))

		dist := append([]int64(nil), trueDist...)
		entry := rapid.Int64Range(-2, int64(n))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "change parent") {
				parent[vertex.Draw(t, "vertex")] = entry.Draw(t, "parent")
			} else {
				dist[vertex.Draw(t, "vertex")] = entry.Draw(t, "level")
			}
		}
		if isShortest(c, root, parent, dist, trueDist) {
			require.NoError(t, Validate(c, root, parent, dist))
		} else {
			require.Error(t, Validate(c, root, parent, dist))
		}
	})
}

// isShortest reports whether a result is right, by comparison with the true distances.
func isShortest(c *CSR, root uint64, parent, dist, trueDist []int64) bool {
	for v, p := range parent {
		switch {
		case dist[v] != trueDist[v]:
			return false
		case uint64(v) == root:
			if p != int64(root) {
				return false
			}
		case trueDist[v] == Unreached:
			if p != Unreached {
				return false
			}
		case p < 0 || p >= int64(len(parent)) || trueDist[p] != trueDist[v]-1 ||
			!slices.Contains(c.Row(uint64(p)), uint64(v)):
			return false
		}
	}
	return true
}

// TestEachRule breaks each rule in each possible way, from a valid result of a search from 0 in a ring of six vertices
// with an isolated seventh.
func TestEachRule(t *testing.T) {
	ring := []Edge{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}
	for name, c := range map[string]struct {
		edges    []Edge
		directed bool
		change   func(parent, dist []int64)
		rule     int
		says     string
	}{
		"root adopted": {ring, false, func(parent, _ []int64) { parent[0] = 1 }, 1, "the root 0 has parent 1, not itself"},
		"root orphan": {ring, false, func(parent, _ []int64) { parent[0] = Unreached },
			1, "the root 0 has parent -1, not itself"},
		"cycle": {ring, false, func(parent, _ []int64) { parent[1], parent[2] = 2, 1 }, 1,
			"following parents from vertex 1 leads round a cycle through 1 and never to the root 0"},
		"second root": {ring, false, func(parent, _ []int64) { parent[2] = 2 }, 1, "cycle through 2"},
		"path breaks": {ring, false, func(parent, _ []int64) { parent[1] = Unreached }, 1, "vertex 1 has parent -1"},
		"parent no vertex": {ring, false, func(parent, _ []int64) { parent[4] = 7 },
			1, "vertex 4 has parent 7, which is no vertex"},
		"root not at 0": {ring, false, func(_, dist []int64) { dist[0] = 1 }, 2, "the root 0 is at level 1, not 0"},
		"tree edge level": {ring, false, func(_, dist []int64) { dist[3] = 2 }, 2,
			"vertex 3 at level 2 has parent 2 at level 2, not one less"},
		"edge skips levels": {append([]Edge{{0, 3}}, ring...), false, func(parent, dist []int64) {
			parent[2], parent[3], dist[3], parent[4] = 1, 2, 3, 5
		}, 3, "edge 0 -> 3 leads from level 0 to level 3, more than one below"},
		"arc skips levels": {append([]Edge{{0, 3}}, ring...), true, func(parent, dist []int64) {
			parent[3], dist[3], parent[4], dist[4], parent[5], dist[5] = 2, 3, 3, 4, 4, 5
		}, 3, "edge 0 -> 3 leads from level 0 to level 3"},
		"part left out": {ring, false, func(parent, dist []int64) { parent[3], dist[3] = Unreached, Unreached }, 3,
			"edge 2 -> 3 leads from level 2 to a vertex that is not reached"},
		"level without parent": {ring, false, func(_, dist []int64) { dist[6] = 1 },
			4, "vertex 6 is reached at level 1 but has no parent"},
		"parent without level": {ring, false, func(parent, _ []int64) { parent[6] = 0 },
			4, "vertex 6 has parent 0 but no level"},
		"no level": {ring, false, func(_, dist []int64) { dist[6] = -2 }, 4, "vertex 6 has level -2"},
		"stranger joined": {ring, false, func(parent, dist []int64) { parent[6], dist[6] = 0, 1 }, 5,
			"vertex 6 has parent 0, but the graph has no edge 0 -> 6"},
		"no such tree edge": {ring, false, func(parent, _ []int64) { parent[2] = 5 },
			5, "vertex 2 has parent 5, but the graph has no edge 5 -> 2"},
		"against the arc": {append([]Edge{{2, 1}, {0, 2}}, ring...), true,
			func(parent, dist []int64) { parent[1], dist[1] = 2, 2 },
			3, "edge 0 -> 1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewCSR(7, c.edges, c.directed)
			dist, parent := BFS(g, 0)
			require.NoError(t, Validate(g, 0, parent, dist))
			c.change(parent, dist)
			var broken *Violation
			require.ErrorAs(t, Validate(g, 0, parent, dist), &broken)
			require.Equal(t, c.rule, broken.Rule, broken.Detail)
			require.ErrorContains(t, broken, c.says)
		})
	}
}

// TestArcsBackUp: in a directed graph an arc may lead up any number of levels, and anywhere from an unreached vertex.
func TestArcsBackUp(t *testing.T) {
	c := NewCSR(5, []Edge{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 2}}, true)
	dist, parent := BFS(c, 0)
	require.NoError(t, Validate(c, 0, parent, dist))
	require.Equal(t, int64(Unreached), dist[4])
}

func TestValidateCallerBugs(t *testing.T) {
	c := NewCSR(2, []Edge{{0, 1}}, true)
	dist, parent := BFS(c, 0)
	require.Panics(t, func() { _ = Validate(c, 2, parent, dist) })
	require.Panics(t, func() { _ = Validate(c, 0, parent[:1], dist) })
	require.Panics(t, func() { _ = Validate(c, 0, parent, dist[:1]) })
}
