package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// twoParts is 0-1-2-3 in a row with the shortcut 0-2 and a loop at 3, apart from it 4-5 twice, and 6 alone.
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

// TestValidateAgrees: on small random graphs, exactly the results whose distances are those of BFS and whose parents
// lie on shortest paths are valid. One entry of a true result is changed at random.
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

// isShortest tells by comparison with the truth whether a result is right.
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
		case p < 0 || p >= int64(len(parent)) || trueDist[p] != trueDist[v]-1 || !hasArc(c, uint64(p), uint64(v)):
			return false
		}
	}
	return true
}

func hasArc(c *CSR, from, to uint64) bool {
	for _, w := range c.Row(from) {
		if w == to {
			return true
		}
	}
	return false
}
