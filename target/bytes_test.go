package target_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A target takes as many bytes for each neighbour as its documentation and lab/results/scale.md say. The job is
// explained, so that rank 0 alone is there.
func TestBytesOfANeighbor(t *testing.T) {
	const ranks = 1 << 12
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	config := pebble.Config{Ranks: ranks, MemoryLimit: 1 << 30, Explain: func(pebble.Explanation) {}}
	var bytes float64
	err := pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
		before := heap()
		is := target.New(r, "is", distribution.Ranks(ranks), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}))
		bytes = (float64(heap()) - float64(before)) / ranks
		runtime.KeepAlive(is)
		return nil
	})
	require.NoError(t, err)
	t.Logf("%.0f bytes a neighbour", bytes)
	require.InDelta(t, 160, bytes, 16)
}
