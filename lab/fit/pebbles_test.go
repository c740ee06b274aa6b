package fit

import (
	"context"
	"math/bits"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
)

func TestPebbles(t *testing.T) {
	c, err := Pebbles(t.Context(), 2, pebbleMin)
	require.NoError(t, err)
	for _, cost := range []float64{c.Pebble.Send, c.Pebble.Handle, c.Pebble.Forward, c.Pebble.Look, c.Frame} {
		require.GreaterOrEqual(t, cost, 0.0)
		require.Less(t, cost, 0.01)
	}
	require.Positive(t, c.Pebble.Handle)
	require.Positive(t, c.Pebble.Look)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Pebbles(ctx, 1, pebbleMin)
	require.ErrorIs(t, err, context.Canceled)
}

// TestPebblesGoWhereTheyAreMeasured counts pebbles by rank, and the hops forwarded by the cube: one less than the
// number of differing bits.
func TestPebblesGoWhereTheyAreMeasured(t *testing.T) {
	handled, got, forwarded := make([]uint64, ranks), make([]uint64, ranks), uint64(0)
	epochs := uint64(len(factors) + 2)
	var all []pebble.Counters
	for from := range ranks {
		for _, v := range valuesOf(from) {
			owner := int(v % ranks)
			handled[owner] += 2 * epochs
			if bits := bits.OnesCount(uint(from ^ owner)); bits > 1 {
				forwarded += 2 * uint64(bits-1)
			}
		}
	}
	var mu sync.Mutex
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks, Due: -1}, func(r *pebble.Rank) error {
		_, err := newCosting(r, 2*pebbleMin).once()
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.Counters())
		got[r.ID()] = r.Counters().PebblesHandled
		return err
	}))
	total := uint64(0)
	for _, c := range all {
		total += c.Forwarded
	}
	require.Equal(t, handled, got)
	require.Equal(t, forwarded, total)
	ofAll := float64(2 * ranks * chunk)
	require.InEpsilon(t, hops-remote, float64(forwarded)/ofAll, 0.02, "what the arithmetic takes for granted")
}

func TestFile(t *testing.T) {
	link := model.Link{Latency: 3, Overhead: 2, Gap: 1, PerByte: 0.5}
	f := File([]Measurement{{Class: model.Host, Link: link, Measured: model.Measured{Transport: "shm"}}},
		Costs{Frame: 5}, model.Cores{Count: 2}, time.Unix(1e9, 5))
	require.Equal(t, link, f.Parameters.Process, "what was not measured is as what is next to it")
	require.Equal(t, link, f.Parameters.Network)
	require.EqualValues(t, 1, f.Parameters.Frame)
	require.NotEmpty(t, f.Machine)
	require.Equal(t, "shm", f.Measured["host"].Transport)
}
