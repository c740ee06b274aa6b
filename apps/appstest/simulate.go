package appstest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// Simulate runs f on the ranks of a simulated job.
func Simulate(tb testing.TB, world sim.Config, c pebble.Config, f func(r *pebble.Rank) error) error {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w, err := sim.New(world)
	require.NoError(tb, err)
	return w.Each(func(p netio.Transport) error {
		own := c // Each calls this for all processes at once
		own.Transport = p
		return pebble.Run(ctx, own, f)
	})
}
