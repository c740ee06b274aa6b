package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/mem"
)

func TestFramesWithinAProcess(t *testing.T) {
	for _, bytes := range []string{"8", "64", "4096"} {
		out, err := run(t, "frames", "-rounds", "100", "-bytes", bytes)
		require.NoError(t, err)
		var r framesReport
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		require.Equal(t, "mem", r.Transport)
		require.Zero(t, r.Errors)
		require.Equal(t, 200, r.Hops)
		require.Positive(t, r.SecondsPerHop)
		require.InDelta(t, r.Seconds, 200*r.SecondsPerHop, 1e-12)
	}
}

func TestFramesMistakes(t *testing.T) {
	for _, args := range []string{"-bytes 0", "-bytes 12", "-rounds 0", "-bytes 9223372036854775800"} {
		_, err := run(t, append([]string{"frames"}, strings.Fields(args)...)...)
		require.ErrorContains(t, err, "give a round or more")
	}
	three := mem.New(3)
	_, err := frames{1, 8}.play(t.Context(), three)
	require.ErrorContains(t, err, "between 2 ranks, the job has 3")
	require.NoError(t, three.Close())
}

// A cancelled context ends the measurement.
func TestFramesInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	tr := mem.New(2)
	why := errors.New("interrupted")
	stop(why)
	_, err := frames{1 << 40, 64}.play(ctx, tr)
	require.ErrorIs(t, err, why)
	require.NoError(t, tr.Close())
}
