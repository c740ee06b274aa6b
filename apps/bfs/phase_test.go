package bfs

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Rank 0 tells of each phase before its progress, and what the file has that no search uses.
func TestPhases(t *testing.T) {
	path := appstest.Write(t, "g.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n2 3 4\n")
	generator, err := graph.Kronecker(13, 16, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		source   distgraph.Source
		want     []string
		weighted bool
	}{
		{distgraph.Source{Path: path}, []string{"edges read", "edges sent", "edges sorted", "searches", "1 of 1"}, true},
		{distgraph.Source{Generator: generator}, []string{"edges made", "65536 of 65536", "edges sorted", "searches", "1 of 1"}, false},
	} {
		var told []string
		var result Result
		err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			config := Config{Source: c.source, RootCount: 1}
			config.Phase = func(what string) { told = append(told, what) }
			config.Progress = func(done, total uint64) {
				if done == total {
					told = append(told, fmt.Sprintf("%d of %d", done, total))
				}
			}
			found, err := Run(r, config)
			if r.ID() == 0 {
				result = found
			}
			return err
		})
		require.NoError(t, err)
		require.Equal(t, c.want, told)
		require.Equal(t, c.weighted, result.Weighted)
		if c.weighted {
			require.Contains(t, result.Rows(), [2]string{"edges", "2, directed; their weights in the file are not used"})
		}
	}
}
