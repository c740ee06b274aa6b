package bfs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// The shape of the network makes no difference. Steps along arcs are the same code in two modes: these take turns with
// the third.
func TestMatrix(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 5)}
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		turn++
		modes := []Mode{Direction, Async}
		if !s.General() || turn%2 == 0 {
			modes = []Mode{Direction, ByLevel} // chains of the third have no bound
		} else if turn%3 == 0 {
			modes = []Mode{Tasks, Async}
		}
		source.Order = distgraph.Orders[turn%len(distgraph.Orders)]
		tuning := Tuning{Unfiltered: s.Cache == 64}
		var ids []uint64
		found := make([]Summary, len(modes))
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			g, err := distgraph.Build(r, source)
			if err != nil {
				return err
			}
			roots, err := g.Draw(1, uint64(s.Coalesce))
			if err != nil {
				return err
			}
			tuning := tuning
			tuning.Tasks = task.New(r)
			of, err := searchEach(g, modes, tuning, roots[0])
			if err != nil {
				return err
			}
			names, err := g.IDs(roots)
			if r.ID() == 0 {
				ids, found = names, of
			}
			return err
		}))
		want, err := Serial(source, ids)
		require.NoError(t, err)
		for i, mode := range modes {
			require.Equal(t, want[0], found[i], "%s", mode)
		}
	})
}

// searchEach searches from one root by some modes, and validates each tree.
func searchEach(g *distgraph.Graph, modes []Mode, tuning Tuning, root uint64) (all []Summary, err error) {
	for _, mode := range modes {
		s, err := NewSearch(g, mode, tuning)
		if err != nil {
			return nil, err
		}
		if err := s.From(root); err != nil {
			return nil, err
		}
		sum, err := s.Summary()
		if err != nil {
			return nil, err
		}
		found, err := s.Validate()
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			return nil, fmt.Errorf("%s: %d breaches, the first %+v", mode, found.Count, found.First[0])
		}
		all = append(all, sum)
	}
	return all, nil
}

// Odd graphs, with more ranks than vertices among them, and 64-bit indices: by all modes and thresholds.
func TestOddGraphs(t *testing.T) {
	path := make([]graph.Edge, 270) // deeper than a byte can tell
	for i := range path {
		path[i] = graph.Edge{From: uint64(i), To: uint64(i) + 1}
	}
	for name, l := range map[string]appstest.List{
		"one vertex":         {N: 1},
		"one loop":           {N: 1, Edges: []graph.Edge{{From: 0, To: 0}}},
		"no edges":           {N: 5},
		"loops only":         {N: 3, Edges: []graph.Edge{{From: 0, To: 0}, {From: 2, To: 2}, {From: 2, To: 2}}},
		"duplicates":         {N: 3, Edges: []graph.Edge{{From: 0, To: 1}, {From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}, {From: 1, To: 2}}},
		"two parts":          {N: 7, Edges: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 2}, {From: 3, To: 3}, {From: 4, To: 5}, {From: 5, To: 4}}},
		"path":               {N: 271, Edges: path},
		"a power of 2 and 1": {N: 65, Edges: []graph.Edge{{From: 63, To: 64}, {From: 64, To: 0}, {From: 0, To: 63}}},
	} {
		for _, ranks := range []int{1, 3, 9} {
			if l.N > 100 && ranks > 3 {
				continue // hundreds of epochs
			}
			root := l.N / 2
			if name == "path" {
				root = 0
			}
			for _, directed := range []bool{false, true} {
				l.Directed = directed
				sources := []distgraph.Source{{Generator: l.Generator()}, {Generator: l.Generator(), Wide: true}, {Generator: l.Generator(), Undirected: true, Order: distgraph.ByDegree}}
				for _, source := range sources {
					t.Run(fmt.Sprintf("%s, %d ranks, %+v", name, ranks, source), func(t *testing.T) {
						whole(t, appstest.On(t, pebble.Config{Ranks: ranks}), source, root)
					})
				}
			}
		}
	}
}

// Generated graphs of some size: result by result the same as the serial twin, level by level.
func TestGenerated(t *testing.T) {
	for _, source := range []distgraph.Source{
		{Generator: appstest.Kronecker(t, 11)},
		{Generator: appstest.ErdosRenyi(t, 11, 8)},
		{Generator: appstest.ErdosRenyi(t, 12, 1), Undirected: true},
		{Generator: appstest.Kronecker(t, 9), Wide: true},
		{Generator: appstest.Kronecker(t, 10), Order: distgraph.ByDegree},
		{Generator: appstest.Kronecker(t, 9), Order: distgraph.ByDegree, Wide: true},
		{Generator: appstest.ErdosRenyi(t, 9, 4), Order: distgraph.ByDegree, Undirected: true},
		{Generator: halved{appstest.Kronecker(t, 10)}},
	} {
		c, _, err := source.Load()
		require.NoError(t, err)
		for _, mode := range Modes {
			for _, ranks := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%s %s, %s, %d ranks", source.Name(), source.Order, mode, ranks), func(t *testing.T) {
					parents, levels := make([]int64, c.Vertices()), make([]int64, c.Vertices())
					var root uint64
					var sum Summary
					require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube, Cache: 256}, func(r *pebble.Rank) error {
						g, err := distgraph.Build(r, source)
						if err != nil {
							return err
						}
						roots, err := g.Draw(1, 7)
						if err != nil {
							return err
						}
						s, err := NewSearch(g, mode, Tuning{Tasks: task.New(r)})
						if err != nil {
							return err
						}
						if err := s.From(roots[0]); err != nil {
							return err
						}
						parent, level, err := s.Result()
						if err != nil {
							return err
						}
						copy(parents[g.First:], parent) // each rank its own part
						copy(levels[g.First:], level)
						found, err := s.Summary()
						if err != nil {
							return err
						}
						ids, err := g.IDs(roots)
						if r.ID() == 0 {
							root, sum = ids[0], found
						}
						return err
					}))
					dist, _ := graph.BFS(c, root)
					require.Equal(t, dist, levels)
					require.NoError(t, graph.Validate(c, root, parents, levels))
					require.Equal(t, graph.Summarize(dist), sum.Summary)
					require.Equal(t, graph.TraversedEdges(c, dist), sum.Traversed)
				})
			}
		}
	}
}
