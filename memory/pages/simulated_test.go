package pages_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Operations on exposed memory overtake each other in simulated networks without losing data.
func TestOvertakenOperations(t *testing.T) {
	seed := seeds.Of(t)
	for i := range uint64(30) {
		world := sim.Config{Ranks: 7, Processes: 4, Seed: seed + i, Faults: sim.Faults{Delay: 0.3, Double: 0.1}}
		config := pages.Config{PageBytes: 64, Copies: i%2 == 0}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{}, program(config, func(r rank) {
			equalsASlice[uint32](r, seed+i, 3000, block)
			countsUnderLocks(r, seed+i, 40)
		})))
	}
}

// held is one holding of a lock.
type held struct {
	rank             int
	asked, got, left time.Duration
}

// Locks are fair: while a rank waits, no other one gets the lock twice. The tasks of a rank take one turn each with the
// other ranks. Times are virtual, so a moment is the same on all ranks.
func TestLocksAreFair(t *testing.T) {
	const (
		ranks, each = 5, 30
		swap        = 3 * time.Microsecond // more than an access to the lock's home
	)
	seed := seeds.Of(t)
	for _, tasks := range []int{0, 1, 3} {
		var mu sync.Mutex
		var all []held
		world := sim.Config{Ranks: ranks, Processes: ranks, Seed: seed}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{}, program(pages.Config{}, func(r rank) {
			l := pages.NewLock(r.s, "fair", 1)
			take := func() {
				for range each {
					h := held{rank: r.ID(), asked: r.Now()}
					l.Lock()
					h.got = r.Now()
					r.Compute(3 * time.Microsecond)
					h.left = r.Now()
					mu.Lock()
					all = append(all, h)
					mu.Unlock()
					l.Unlock()
				}
			}
			if tasks == 0 {
				take()
				r.meet()
				return
			}
			sched := task.New(r.Rank.Rank)
			r.NoError(sched.Run(func() {
				for range tasks {
					sched.Go(take)
				}
			}))
		})))
		require.Len(t, all, ranks*each*max(1, tasks))
		waited := 0
		before := map[int]time.Duration{} // by rank: last time that it had the lock
		for i, h := range all {
			since, met := max(h.asked, before[h.rank])+swap, map[int]bool{}
			before[h.rank] = h.left
			for j := i - 1; j >= 0 && all[j].got > since; j-- {
				other := all[j].rank
				require.False(t, met[other], "rank %d had the lock twice while rank %d waited, %d tasks", other, h.rank, tasks)
				met[other] = true
			}
			if len(met) >= ranks-2 { // and one had it when the turn came to its queue
				waited++
			}
		}
		require.Greater(t, waited, each, "nearly all others are ahead of who asks")
	}
}
