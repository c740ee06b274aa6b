package fit

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestPebbles(t *testing.T) {
	c, err := Pebbles(t.Context(), 2, 1<<14)
	require.NoError(t, err)
	for _, cost := range []float64{c.Pebble.Send, c.Pebble.Handle, c.Pebble.Forward, c.Pebble.Look, c.Frame} {
		require.GreaterOrEqual(t, cost, 0.0)
		require.Less(t, cost, 0.01)
	}
	require.Positive(t, c.Pebble.Handle)
	require.Positive(t, c.Pebble.Look)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Pebbles(ctx, 1, 1<<14)
	require.ErrorIs(t, err, context.Canceled)
}

// TestPebblesGoWhereTheyAreMeasured counts frames and pebbles by rank: to a neighbour with each factor, over a hop, and home.
func TestPebblesGoWhereTheyAreMeasured(t *testing.T) {
	const pebbles = 4096
	handled, forwarded, sent := make([]uint64, ranks), make([]uint64, ranks), make([]uint64, ranks)
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks, Topology: route.Mesh(2, 2), Due: -1}, func(r *pebble.Rank) error {
		_, err := newCosting(r, pebbles).once()
		c := r.Counters()
		handled[r.ID()], forwarded[r.ID()], sent[r.ID()] = c.PebblesHandled, c.Forwarded, c.FramesSent
		return err
	}))
	n := uint64(len(factors))
	require.Equal(t, []uint64{pebbles, n * pebbles, 0, pebbles}, handled)
	require.EqualValues(t, pebbles, forwarded[1]+forwarded[2])
	frames := uint64(0)
	for _, factor := range append(factors, factors[len(factors)-1]) {
		frames += uint64(pebbles / factor)
	}
	require.InDelta(t, frames, sent[0], float64(len(factors))*8, "frames begin small and grow, and go when they are full")
}

func TestKeep(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "folder", "parameters.json")
	_, err := Read(name)
	require.ErrorContains(t, err, "run pebbles fit first")
	link := model.Link{Latency: 3, Overhead: 2, Gap: 1, PerByte: 0.5}
	f := File([]Measurement{{Class: model.Host, Link: link, Measured: model.Measured{Transport: "shm"}}}, Costs{Frame: 5}, time.Unix(1e9, 5))
	require.Equal(t, link, f.Parameters.Process, "what was not measured is as what is next to it")
	require.Equal(t, link, f.Parameters.Network)
	require.EqualValues(t, 1, f.Parameters.Frame)
	require.NotEmpty(t, f.Machine)
	require.NoError(t, Write(name, f))
	back, err := Read(name)
	require.NoError(t, err)
	require.Equal(t, f, back)
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside the file")
	require.NoError(t, os.WriteFile(name, []byte("{}"), 0o644))
	_, err = Read(name)
	require.ErrorContains(t, err, name)
	require.ErrorContains(t, err, "no file of parameters")
	require.ErrorContains(t, Write(filepath.Join(name, "below", "a file"), f), "name another file")
	f.Parameters.Frame = -1
	require.ErrorContains(t, Write(name, f), "frame is -1")
}

func TestPlace(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", folder)
	t.Setenv("HOME", folder)
	t.Setenv("AppData", folder)
	name, err := Place()
	require.NoError(t, err)
	require.Contains(t, name, folder)
	require.Equal(t, "parameters.json", filepath.Base(name))
}
