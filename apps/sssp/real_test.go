package sssp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Where arcs weigh 1 each, distances are those of breadth-first search, which are known. Weights of a file that are
// below 0 are refused.
func TestKnownAnswers(t *testing.T) {
	source := distgraph.Source{Path: appstest.Data(t, "wiki-Vote.txt.gz"), Weights: distgraph.Ones}
	results, err := run(t, pebble.Config{Ranks: 3}, Config{Source: source, Roots: []uint64{30}})
	require.NoError(t, err)
	require.Zero(t, results[0].Errors, results[0].Wrong)
	require.Equal(t, []uint64{2316}, results[0].Reached)
	require.Equal(t, []float64{5}, results[0].Farthest)
	require.Equal(t, []float64{6920}, results[0].DistanceSums)
	source = distgraph.Source{Path: appstest.Data(t, "memplus.mtx.gz"), Weights: distgraph.Given}
	_, err = run(t, pebble.Config{Ranks: 2}, Config{Source: source})
	require.ErrorIs(t, err, graph.ErrRange)
}
