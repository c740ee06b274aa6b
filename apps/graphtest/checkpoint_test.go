package graphtest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/pebble"
)

// written is a configuration of rows that go to a file.
func written(path string) apps.Common {
	return apps.Common{Seed: 7, Output: apps.Output{Path: path}}
}

// Scores after a restart are those of an undisturbed run; of a graph that ranks order by degree, where they add them up
// in an order of their own, but for rounding.
func TestPageRankGoesOn(t *testing.T) {
	for name, compare := range map[string]func(t *testing.T, want, got []byte){
		"by degree": sameRows, "ids far apart": nil,
	} {
		t.Run(name, func(t *testing.T) {
			source := outputs(t)[name].source
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				c := pagerank.Config{Common: written(path), Source: source, Fixed: true, Iterations: 4}
				_, err := pagerank.Run(r, c)
				return err
			}, compare)
		})
	}
}

// Searches after a restart find the same distances, and a tree without a breach: the second and the third search too.
func TestSearchesGoOn(t *testing.T) {
	for name, mode := range map[string]bfs.Mode{"by degree": bfs.Direction, "ids far apart": bfs.ByLevel} {
		t.Run(name, func(t *testing.T) {
			source := outputs(t)[name].source
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				c := bfs.Config{Common: apps.Common{Seed: 7}, Source: source, Mode: mode, RootCount: 3}
				res, err := bfs.Run(r, c)
				if err != nil || r.ID() > 0 {
					return err
				}
				if res.Errors > 0 || len(res.Breaches) > 0 || slices.Min(res.TEPS) <= 0 {
					return fmt.Errorf("%v, %v, %v", res.Wrong, res.Breaches, res.TEPS)
				}
				found := fmt.Sprint(res.Roots, res.Reached, res.Depths, res.DistanceSums)
				return os.WriteFile(path, []byte(found), 0o600)
			}, nil)
		})
	}
}

// Rows of a search by each way.
func TestTreesGoOn(t *testing.T) {
	for _, mode := range bfs.Resumable {
		source := distgraph.Source{Generator: appstest.Kronecker(t, 7), Order: distgraph.ByDegree}
		appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
			_, err := bfs.Run(r, bfs.Config{Common: written(path), Source: source, Mode: mode, RootCount: 1})
			return err
		}, nil)
	}
}

// Components after a restart have the same vertices, wherever the ways from root to root were shortened: in a long path
// from rank to rank, and in a graph that ranks order by degree.
func TestComponentsGoOn(t *testing.T) {
	path := appstest.List{N: 600}
	for v := range path.N - 1 {
		if at := func(v uint64) uint64 { return v * 7 % path.N }; v%100 != 99 {
			path.Edges = append(path.Edges, graph.Edge{From: at(v), To: at(v + 1)})
		}
	}
	hubs := hubs()
	hubs.N += 50
	for v := hubs.N - 49; v < hubs.N; v += 2 {
		hubs.Edges = append(hubs.Edges, graph.Edge{From: v, To: v + 1 - 2*(v&1)})
	}
	for name, source := range map[string]distgraph.Source{
		"path": {Generator: path.Generator()}, "by degree": {Generator: hubs.Generator(), Order: distgraph.ByDegree},
	} {
		t.Run(name, func(t *testing.T) {
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				_, err := components.Run(r, components.Config{Common: written(path), Source: source})
				return err
			}, nil)
		})
	}
}

// Ways that make no checkpoints refuse a folder for some, and name those that do.
func TestWithoutCheckpoints(t *testing.T) {
	source := outputs(t)["by degree"].source
	for says, run := range map[string]func(r *pebble.Rank) error{
		"bfs: mode async makes no checkpoints: choose level, direction": appstest.Once(bfs.Run,
			bfs.Config{Source: source, Mode: bfs.Async}),
		"components: method propagate makes no checkpoints: choose hook": appstest.Once(components.Run,
			components.Config{Source: source, Method: components.Propagate}),
	} {
		job := pebble.Config{Ranks: 2, Checkpoints: pebble.Checkpoints{Folder: t.TempDir()}}
		require.ErrorContains(t, appstest.Job(t, job, run), says)
	}
}

// sameRows requires the same rows of a vertex and a score, but for rounding.
func sameRows(t *testing.T, want, got []byte) {
	a, b := cells(t, want), cells(t, got)
	require.Len(t, b, len(a))
	for i, row := range a[1:] {
		require.Equal(t, row[0], b[1+i][0])
		score, err := strconv.ParseFloat(row[1], 64)
		require.NoError(t, err)
		alike(t, score, b[1+i][1])
	}
}

func cells(t *testing.T, file []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	require.NoError(t, err)
	return rows
}
