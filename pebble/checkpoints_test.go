package pebble_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Settings of checkpoints that would have no effect are refused, and so is a program that makes none.
func TestCheckpointsWithoutEffect(t *testing.T) {
	run := func(c pebble.Checkpoints) error {
		return pebble.Run(context.Background(), pebble.Config{Ranks: 2, Checkpoints: c}, func(r *pebble.Rank) error {
			return r.Barrier()
		})
	}
	for _, c := range []pebble.Checkpoints{{Every: time.Minute}, {Limit: time.Hour}, {Zstd: true}} {
		require.ErrorContains(t, run(c), "no folder: name one (-checkpoint)")
	}
	unused := pebble.Checkpoints{Folder: t.TempDir()}
	require.ErrorContains(t, run(unused), "the program has made none: leave -checkpoint out")
	require.NoError(t, run(pebble.Checkpoints{}))
	require.NoError(t, run(pebble.Checkpoints{Every: -1}), "never is no setting that needs a folder")
}
