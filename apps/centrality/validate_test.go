package centrality

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// diamond has two shortest paths from 0 to 3, and one on to 4; 5 is apart.
var diamond = appstest.List{N: 6, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}, {From: 3, To: 4}}}

// Each rule is broken in each way it can be.
func TestEachRule(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *found[uint32], v uint32) // what is found of a vertex
		at     uint64
		says   string
	}{
		"paths to the source": {func(f *found[uint32], v uint32) { f.paths[v] = 2 }, 0,
			"rule 1: the source 0 is at level 0 with 2 paths, not at level 0 with one"},
		"twice":         {func(f *found[uint32], v uint32) { f.queue[0] = v }, 3, "rule 2: vertex 3 is in levels 0 and 2"},
		"too many":      {func(f *found[uint32], v uint32) { f.paths[v] = 3 }, 3, "rule 3: 3 paths lead to vertex 3, and 2 along the arcs from the level before"},
		"none":          {func(f *found[uint32], v uint32) { f.paths[v] = 0 }, 4, "rule 3: 0 paths lead to vertex 4, and 2 along the arcs from the level before"},
		"paths alone":   {func(f *found[uint32], v uint32) { f.paths[v] = 1 }, 5, "rule 3: 1 paths lead to vertex 5, which is not reached"},
		"other sum":     {func(f *found[uint32], v uint32) { f.through[v] = 2 }, 3, "rule 4: vertex 3 has 2 from the level that follows, and its arcs bring 0.5"},
		"a sum from":    {func(f *found[uint32], v uint32) { f.through[v] = 1 }, 4, "rule 4: vertex 4 has 1 from the level that follows, and its arcs bring 0"},
		"not reached":   {func(f *found[uint32], v uint32) { f.queue, f.levels[4] = f.queue[:4], 4 }, 4, "rule 2: arc 3 -> 4 leads from level 2 to a vertex that is not reached"},
		"reached later": {func(f *found[uint32], v uint32) { f.levels = []int{0, 1, 3, 4, 4, 5} }, 4, "rule 2: arc 3 -> 4 leads from level 2 to level 4"},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := []int{1, 3}
			if name == "twice" || name == "not reached" || name == "reached later" {
				ranks = []int{1} // their queues hold vertices of all ranks
			}
			for _, n := range ranks {
				var total uint64
				var texts []string
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: n}, func(r *pebble.Rank) error {
					g, err := distgraph.Build(r, distgraph.Source{Generator: diamond.Generator()})
					if err != nil {
						return err
					}
					k, err := NewKernel(g, ByLevel, nil)
					if err != nil {
						return err
					}
					if err := k.From(0); err != nil {
						return err
					}
					s := k.(*byLevel[uint32])
					if g.Owns(c.at) {
						c.change(s.found, uint32(c.at)-s.first)
					}
					found, err := s.Validate()
					if err != nil {
						return err
					}
					said, err := g.Describe(found, describe)
					if err != nil {
						return err
					}
					sum, err := apps.Sum(r, found.Count)
					if r.ID() == 0 {
						total, texts = sum, said
					}
					return err
				}))
				require.NotZero(t, total)
				require.Contains(t, fmt.Sprint(texts), c.says)
			}
		})
	}
}

// Sums may differ by rounding, and nothing may stand for something.
func TestNear(t *testing.T) {
	require.True(t, near(1, 1+1e-12))
	require.False(t, near(1, 1+1e-6))
	require.False(t, near(0, 1e-300))
	require.True(t, near(0, 0))
}
