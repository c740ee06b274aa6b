package bfs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// ring is six vertices in a ring, with a seventh apart.
var ring = []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 4, To: 5},
	{From: 5, To: 0}}

func with(edges []graph.Edge, more ...graph.Edge) []graph.Edge {
	return append(append([]graph.Edge(nil), edges...), more...)
}

// judge searches l from vertex 0 on some ranks, and returns the validator's verdict after change has spoiled the
// result. change gets the whole result.
func judge(tb testing.TB, ranks int, l appstest.List, order distgraph.Order, change func(parent,
	level []int64)) (breaches uint64, texts []string) {
	tb.Helper()
	dist, parent := graph.BFS(graph.NewCSR(l.N, l.Edges, l.Directed), 0)
	change(parent, dist)
	err := appstest.Job(tb, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: l.Generator(), Order: order}))
		search := appstest.Must(NewSearch(g, ByLevel, Tuning{}))
		numbers := []uint64{0}
		for _, p := range parent {
			numbers = append(numbers, uint64(p))
		}
		indices := appstest.Must(g.IndicesOf(numbers))
		s := search.(byLevel[uint32])
		s.start(indices[0])
		for number := range g.Local {
			place, at := s.Place(uint64(number)), int(g.First)+number
			s.parent[place], s.level[place] = uint32(indices[1+at]), uint32(dist[at])
		}
		found := appstest.Must(s.Validate())
		said := appstest.Must(g.Describe(found, Rules))
		total, err := pebble.AllReduce(r, found.Count, func(a, b uint64) uint64 { return a + b })
		if r.ID() == 0 {
			breaches, texts = total, said
		}
		return err
	})
	require.NoError(tb, err)
	return breaches, texts
}

// Each rule is broken in every possible way.
func TestEachRule(t *testing.T) {
	const none = graph.Unreached
	for name, c := range map[string]struct {
		edges    []graph.Edge
		directed bool
		change   func(parent, level []int64)
		says     string
	}{
		"root adopted": {ring, false, func(parent, _ []int64) { parent[0] = 1 },
			"rule 1: the root 0 has parent 1, not itself"},
		"second root": {ring, false, func(parent, _ []int64) { parent[2] = 2 },
			"rule 1: vertex 2 is its own parent, but not the root"},
		"parent no vertex": {ring, false, func(parent, _ []int64) { parent[4] = 7 },
			"rule 1: the parent of vertex 4 is no vertex"},
		"path breaks": {ring, false, func(parent, level []int64) { parent[1], level[1] = none, none },
			"rule 1: vertex 2 has parent 1, which is not reached"},
		"root not at 0": {ring, false, func(_, level []int64) { level[0] = 1 }, "rule 2: the root 0 is at level 1, not 0"},
		"cycle": {ring, false, func(parent, _ []int64) { parent[1], parent[2] = 2, 1 },
			"rule 2: vertex 1 at level 1 has parent 2 at level 2, not one less"},
		"tree edge level": {ring, false, func(_, level []int64) { level[3] = 2 },
			"rule 2: vertex 3 at level 2 has parent 2 at level 2, not one less"},
		"edge skips levels": {with(ring, graph.Edge{From: 0, To: 3}), false, func(parent, level []int64) {
			parent[2], parent[3], level[3], parent[4] = 1, 2, 3, 5
		}, "rule 3: edge 0 -> 3 leads from level 0 to level 3, more than one below"},
		"arc skips levels": {with(ring, graph.Edge{From: 0, To: 3}), true, func(parent, level []int64) {
			parent[3], level[3], parent[4], level[4], parent[5], level[5] = 2, 3, 3, 4, 4, 5
		}, "rule 3: edge 0 -> 3 leads from level 0 to level 3, more than one below"},
		"part left out": {ring, false, func(parent, level []int64) { parent[3], level[3] = none, none },
			"rule 3: edge 2 -> 3 leads from level 2 to a vertex that is not reached"},
		"level without parent": {ring, false, func(_, level []int64) { level[6] = 1 },
			"rule 4: vertex 6 is reached at level 1 but has no parent"},
		"parent without level": {ring, false, func(parent, _ []int64) { parent[6] = 0 },
			"rule 4: vertex 6 has parent 0 but no level"},
		"stranger joined": {ring, false, func(parent, level []int64) { parent[6], level[6] = 0, 1 },
			"rule 5: vertex 6 has parent 0, but the graph has no edge 0 -> 6"},
		"no such tree edge": {ring, false, func(parent, _ []int64) { parent[2] = 5 },
			"rule 5: vertex 2 has parent 5, but the graph has no edge 5 -> 2"},
		"against the arc": {with(ring, graph.Edge{From: 2, To: 1}, graph.Edge{From: 0, To: 2}), true,
			func(parent, level []int64) { parent[1], level[1] = 2, 2 },
			"rule 3: edge 0 -> 1 leads from level 0 to level 2, more than one below"},
	} {
		for _, ranks := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%s, %d ranks", name, ranks), func(t *testing.T) {
				l := appstest.List{N: 7, Edges: c.edges, Directed: c.directed}
				for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
					if c.directed && order == distgraph.ByDegree {
						continue
					}
					breaches, texts := judge(t, ranks, l, order, func(_, _ []int64) {})
					require.Zero(t, breaches, texts)
					breaches, texts = judge(t, ranks, l, order, c.change)
					require.NotZero(t, breaches)
					require.Contains(t, texts, c.says)
				}
			})
		}
	}
}

// On small random graphs with one to three random changes to a true result, the validator finds a mistake exactly when
// its serial twin does.
func TestValidateAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(1, 8).Draw(rt, "vertices")
		vertex := rapid.Uint64Range(0, n-1)
		l := appstest.List{N: n, Directed: rapid.Bool().Draw(rt, "directed"), Edges: appstest.DrawEdges(rt, n, 20)}
		order := distgraph.AsGiven
		if !l.Directed {
			order = rapid.SampledFrom(distgraph.Orders).Draw(rt, "order")
		}
		entry := rapid.Int64Range(graph.Unreached, int64(n))
		var twin error
		breaches, texts := judge(t, rapid.IntRange(1, 4).Draw(rt, "ranks"), l, order, func(parent, level []int64) {
			for range rapid.IntRange(0, 3).Draw(rt, "changes") {
				if rapid.Bool().Draw(rt, "change parent") {
					parent[vertex.Draw(rt, "vertex")] = entry.Draw(rt, "parent")
				} else {
					level[vertex.Draw(rt, "vertex")] = entry.Draw(rt, "level")
				}
			}
			twin = graph.Validate(graph.NewCSR(l.N, l.Edges, l.Directed), 0, parent, level)
		})
		if (twin != nil) != (breaches > 0) {
			rt.Fatalf("the twin says %v, the validator %v", twin, texts)
		}
	})
}
