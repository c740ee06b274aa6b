//go:build !race

package bfs

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A search that was run before allocates nothing per pebble or batch. (The runtime's waits may allocate, and more so on
// a busy machine. So it is enough if one search of many allocates little.)
func TestNoAllocationPerPebble(t *testing.T) {
	const most, searches = 1000, 100
	for _, mode := range Modes {
		var allocated, sent uint64
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: appstest.Kronecker(t, 13)}))
			root := appstest.Must(g.Draw(1, 1))
			s := appstest.Must(NewSearch(g, mode, Tuning{Unfiltered: true, Tasks: task.New(r)}))
			for range searches {
				a, n, err := mallocs(r, func() error { return s.From(root[0]) })
				if err != nil {
					return err
				}
				if r.ID() == 0 {
					allocated, sent = a, n
				}
				if few, err := pebble.Broadcast(r, 0, a < most); err != nil || few {
					return err
				}
			}
			return nil
		}))
		if mode != Direction { // examines tens of thousands of arcs, and sends few pebbles
			require.Greater(t, sent, uint64(10_000))
		}
		require.Less(t, allocated, uint64(most), "%s: %d pebbles", mode, sent)
	}
}

// mallocs returns, on rank 0, the allocations of the process while all ranks run f, and the pebbles that rank 0 sends.
func mallocs(r *pebble.Rank, f func() error) (allocated, sent uint64, err error) {
	var before, after runtime.MemStats
	if r.ID() == 0 {
		runtime.ReadMemStats(&before)
	}
	counters := r.Counters()
	if err := f(); err != nil {
		return 0, 0, err
	}
	if r.ID() == 0 {
		runtime.ReadMemStats(&after)
	}
	return after.Mallocs - before.Mallocs, r.Counters().Since(counters).PebblesSent, r.Barrier()
}
