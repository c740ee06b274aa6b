package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachRule breaks each rule in each way it can be broken, from a valid result of a search from 0 in a ring of six
// vertices with a seventh apart.
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
		"root orphan":  {ring, false, func(parent, _ []int64) { parent[0] = Unreached }, 1, "the root 0 has parent -1, not itself"},
		"cycle": {ring, false, func(parent, _ []int64) { parent[1], parent[2] = 2, 1 }, 1,
			"following parents from vertex 1 leads round a cycle through 1 and never to the root 0"},
		"second root":      {ring, false, func(parent, _ []int64) { parent[2] = 2 }, 1, "cycle through 2"},
		"path breaks":      {ring, false, func(parent, _ []int64) { parent[1] = Unreached }, 1, "vertex 1 has parent -1"},
		"parent no vertex": {ring, false, func(parent, _ []int64) { parent[4] = 7 }, 1, "vertex 4 has parent 7, which is no vertex"},
		"root not at 0":    {ring, false, func(_, dist []int64) { dist[0] = 1 }, 2, "the root 0 is at level 1, not 0"},
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
		"level without parent": {ring, false, func(_, dist []int64) { dist[6] = 1 }, 4, "vertex 6 is reached at level 1 but has no parent"},
		"parent without level": {ring, false, func(parent, _ []int64) { parent[6] = 0 }, 4, "vertex 6 has parent 0 but no level"},
		"no level":             {ring, false, func(_, dist []int64) { dist[6] = -2 }, 4, "vertex 6 has level -2"},
		"stranger joined": {ring, false, func(parent, dist []int64) { parent[6], dist[6] = 0, 1 }, 5,
			"vertex 6 has parent 0, but the graph has no edge 0 -> 6"},
		"no such tree edge": {ring, false, func(parent, _ []int64) { parent[2] = 5 }, 5, "vertex 2 has parent 5, but the graph has no edge 5 -> 2"},
		"against the arc":   {append([]Edge{{2, 1}, {0, 2}}, ring...), true, func(parent, dist []int64) { parent[1], dist[1] = 2, 2 }, 3, "edge 0 -> 1"},
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

// TestArcsBackUp: in a directed graph an arc may lead up any number of levels, and from an unreached vertex anywhere.
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
