package appstest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// List is a graph as a list of edges. It has a generator, which is a graph.Weighted if the list has weights.
type List struct {
	N        uint64
	Edges    []graph.Edge
	Directed bool
	Weights  []float64
}

// Generator returns the list as a generator.
func (l List) Generator() graph.Generator {
	if l.Weights != nil {
		return weighted{unweighted{l}}
	}
	return unweighted{l}
}

type unweighted struct{ l List }

func (u unweighted) Vertices() uint64                      { return u.l.N }
func (u unweighted) EdgeCount() uint64                     { return uint64(len(u.l.Edges)) }
func (u unweighted) Fill(first uint64, edges []graph.Edge) { copy(edges, u.l.Edges[first:]) }
func (u unweighted) Directed() bool                        { return u.l.Directed }
func (u unweighted) Describe() string                      { return fmt.Sprintf("list of %d edges", len(u.l.Edges)) }

type weighted struct{ unweighted }

func (w weighted) Weigh(first uint64, weights []float64) { copy(weights, w.l.Weights[first:]) }

// Kronecker returns the Graph500 graph of 2^scale vertices.
func Kronecker(tb testing.TB, scale int) graph.Generator {
	tb.Helper()
	g, err := graph.Kronecker(scale, graph.EdgeFactorDefault, 1)
	require.NoError(tb, err)
	return g
}

// ErdosRenyi returns a random graph of 2^scale vertices.
func ErdosRenyi(tb testing.TB, scale, factor int) graph.Generator {
	tb.Helper()
	g, err := graph.ErdosRenyi(scale, factor, 2)
	require.NoError(tb, err)
	return g
}

// Data returns the path of a file of public data, and skips the test if it is absent. Its folder is PEBBLES_DATA, or
// shared/data in a folder above the test.
func Data(tb testing.TB, name string) string {
	tb.Helper()
	folder := os.Getenv("PEBBLES_DATA")
	if folder == "" {
		folder = above(filepath.Join("shared", "data"))
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		require.ErrorIs(tb, err, fs.ErrNotExist)
		tb.Skipf("no %s: set PEBBLES_DATA to the folder of public data", path)
	}
	return path
}

// above returns the path of a folder in this one or in one above it; if none exists, it returns the last one tried.
func above(folder string) string {
	for range 8 {
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
		folder = filepath.Join("..", folder)
	}
	return folder
}

// Write writes a file for the test, and returns its path.
func Write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// Job runs f on ranks of this process.
func Job(tb testing.TB, c pebble.Config, f func(r *pebble.Rank) error) error {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return pebble.Run(ctx, c, f)
}

// Results returns the results of an application on the ranks of this process.
func Results[C, R any](tb testing.TB, c pebble.Config, run func(r *pebble.Rank, config C) (R, error), config C,
) ([]R, error) {
	tb.Helper()
	results := make([]R, c.Ranks)
	err := Job(tb, c, func(r *pebble.Rank) (err error) {
		results[r.ID()], err = run(r, config)
		return err
	})
	return results, err
}

// On is Job for a configuration.
func On(tb testing.TB, c pebble.Config) func(f func(r *pebble.Rank) error) error {
	return func(f func(r *pebble.Rank) error) error { return Job(tb, c, f) }
}

// DrawEdges draws up to most edges of a graph with a number of vertices.
func DrawEdges(t *rapid.T, vertices uint64, most int) []graph.Edge {
	vertex := rapid.Uint64Range(0, vertices-1)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Edge {
		return graph.Edge{From: vertex.Draw(t, "from"), To: vertex.Draw(t, "to")}
	}), 0, most).Draw(t, "edges")
}
