package pebble_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// A rank with small buffers is small, so that one process can have thousands.
func TestRanksAreSmall(t *testing.T) {
	const ranks, most = 256, 200 << 10
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := used()
	c := pebble.Config{Ranks: ranks, Topology: route.Hypercube, Coalesce: 16}
	job(t, c, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", ignore)
		err := epoch(r, func() {
			for i := range 64 {
				hit.Send(uint64(r.ID()*31+i*977) % ranks)
			}
		})
		if err == nil && r.ID() == 0 {
			each := (used() - before) / ranks
			t.Logf("%d KiB a rank", each>>10)
			require.Less(t, each, uint64(most))
		}
		return errors.Join(err, r.Barrier())
	})
}
