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
	for name, compare := range map[string]func(t *testing.T, want, got []byte){"by degree": sameRows, "ids far apart": nil} {
		t.Run(name, func(t *testing.T) {
			source := outputs(t)[name].source
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				_, err := pagerank.Run(r, pagerank.Config{Common: written(path), Source: source, Fixed: true, Iterations: 4})
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
				res, err := bfs.Run(r, bfs.Config{Common: apps.Common{Seed: 7}, Source: source, Mode: mode, RootCount: 3})
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
		source := outputs(t)["by degree"].source
		appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
			_, err := bfs.Run(r, bfs.Config{Common: written(path), Source: source, Mode: mode, RootCount: 1})
			return err
		}, nil)
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
