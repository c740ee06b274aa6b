package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestRoots(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error { return run(r, false) }))
	})
}

// The verdict names the rank with the cycle, its handler and its epoch. The handler keeps running.
func TestCycle(t *testing.T) {
	config := pebble.Config{Ranks: 4, Watch: pebble.Watch{Stall: time.Second, StallExit: true, Out: io.Discard}}
	err := pebble.Run(context.Background(), config, func(r *pebble.Rank) error { return run(r, true) })
	stalled, ok := errors.AsType[*pebble.StallError](err)
	require.True(t, ok, "%v", err)
	require.Contains(t, stalled.Verdict, `rank 2 runs the handler of "find-root", in epoch "roots" (main.go:`)
}
