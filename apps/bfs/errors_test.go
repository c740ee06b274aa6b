package bfs

import (
	"io/fs"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

func TestFileErrorEndsRun(t *testing.T) {
	_, err := run(t, pebble.Config{Ranks: 3}, Config{Source: distgraph.Source{Path: filepath.Join(t.TempDir(), "none.el")}})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Sparse ids of a file are told by rank 0 in roots, errors and results.
func TestIDs(t *testing.T) {
	path := appstest.Write(t, "sparse.el", "# a comment\n1000 7\n7 500\n500 99\n12345678901 7\n")
	for _, ranks := range []int{1, 3} {
		results, err := run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, Roots: []uint64{1000, 12345678901, 99}})
		require.NoError(t, err)
		for _, res := range results {
			require.Equal(t, []uint64{4, 4, 1}, res.Reached)
			require.Equal(t, []int64{3, 3, 0}, res.Depths)
			require.Equal(t, []uint64{6, 6, 0}, res.DistanceSums)
			require.Equal(t, uint64(5), res.Vertices)
			require.Equal(t, path, res.Graph)
		}
		results, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, RootCount: 100})
		require.NoError(t, err)
		require.ElementsMatch(t, []uint64{1000, 7, 500, 12345678901}, results[0].Roots, "99 has no arc to another")

		_, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: distgraph.Source{Path: path}, Roots: []uint64{7, 8}})
		require.ErrorIs(t, err, distgraph.ErrRoot)
		require.ErrorContains(t, err, "root 8: graph "+path+" has 5 vertices with ids from 7 to 12345678901, and none is this one")
	}
}

func TestBadRoots(t *testing.T) {
	for name, c := range map[string]struct {
		l     appstest.List
		roots []uint64
		says  string
	}{
		"outside":     {appstest.List{N: 4, Edges: ring[:2]}, []uint64{1, 4}, "root 4: graph list of 2 edges has 4 vertices with ids from 0 to 3"},
		"no vertices": {appstest.List{}, []uint64{0}, "root 0: graph list of 0 edges has no vertices"},
		"none to draw": {appstest.List{N: 2, Edges: []graph.Edge{{From: 1, To: 1}}}, nil,
			"draw roots: graph list of 1 edges has no arc from a vertex to another: name a root"},
	} {
		for _, ranks := range []int{1, 4} {
			t.Run(name, func(t *testing.T) {
				errs := make([]error, ranks)
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					_, errs[r.ID()] = Run(r, Config{Source: distgraph.Source{Generator: c.l.Generator()}, Roots: c.roots})
					return nil
				}))
				for _, err := range errs {
					require.ErrorIs(t, err, distgraph.ErrRoot)
					require.ErrorContains(t, err, c.says)
				}
			})
		}
	}
	require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 1}.Generator()})
		if err != nil {
			return err
		}
		s, err := NewSearch(g, Async, Tuning{})
		if err != nil {
			return err
		}
		return s.From(1)
	}), "bfs: a search from vertex 1 of a graph of 1 vertices")
	_, err := Serial(distgraph.Source{Generator: appstest.List{N: 1}.Generator()}, []uint64{1})
	require.ErrorIs(t, err, distgraph.ErrRoot)
}

func TestBadConfig(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1}.Generator()}
	for says, c := range map[string]Config{
		`mode "dfs" is not one of level, async, direction, tasks`: {Source: good, Mode: "dfs"},
		`order "random" is not one of auto, degree, given`:        {Source: distgraph.Source{Generator: appstest.List{N: 1}.Generator(), Order: "random"}},
		"alpha is -1: give a number above 0":                      {Source: good, Mode: Direction, Alpha: -1},
		"beta is NaN: give a number above 0":                      {Source: good, Mode: Direction, Beta: math.NaN()},
		"alpha is +Inf: give a number above 0":                    {Source: good, Mode: Direction, Alpha: math.Inf(1)},
		"alpha is for mode direction: leave it out":               {Source: good, Alpha: 3},
		"-1 roots": {Source: good, RootCount: -1},
		"both roots and a number of roots to draw": {Source: good, RootCount: 1, Roots: []uint64{0}},
		"no graph: give a file or a generator":     {},
		"both a file and a generator are given":    {Source: distgraph.Source{Path: "x", Generator: appstest.List{N: 1}.Generator()}},
	} {
		require.ErrorContains(t, c.Check(2), says)
		_, err := run(t, pebble.Config{Ranks: 2}, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, Config{Source: good}.Check(0), "0 ranks")
	require.NoError(t, Config{Source: good}.Check(1))
}
