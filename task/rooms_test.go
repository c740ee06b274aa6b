package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// simulate runs a job of processes of one rank each in simulated time.
func simulate(t *testing.T, c sim.Config, job pebble.Config, f func(r *pebble.Rank) error) error {
	t.Helper()
	if c.Processes == 0 {
		c.Processes = c.Ranks
	}
	w, err := sim.New(c)
	require.NoError(t, err)
	return w.Each(func(p netio.Transport) error {
		job := job
		job.Transport = p
		return run(t, job, f)
	})
}

// A task waits for room on the links that it sends over: one that floods a rank which takes its pebbles at once
// doesn't wait for one that floods a slow rank, by targets of their own, by one for both, and in batches.
func TestTasksWaitForTheirOwnLinks(t *testing.T) {
	const pebbles, slowRank, fastRank = 1000, 1, 2
	type send = func(rank uint64)
	for name, sends := range map[string]func(a, b *target.Target[uint64]) (toSlow, toFast send){
		"two targets": func(a, b *target.Target[uint64]) (toSlow, toFast send) { return a.Send, b.Send },
		"one target":  func(a, _ *target.Target[uint64]) (toSlow, toFast send) { return a.Send, a.Send },
		"batches": func(a, _ *target.Target[uint64]) (toSlow, toFast send) {
			batch := func(rank uint64) { a.SendAll([]uint64{rank, rank, rank, rank}) }
			return batch, batch
		},
	} {
		t.Run(name, func(t *testing.T) {
			var took [3]time.Duration
			require.NoError(t, simulate(t, sim.Config{Ranks: 3, Seed: 3}, pebble.Config{Credits: 2, Coalesce: 4}, func(r *pebble.Rank) error {
				s := task.New(r)
				handle := target.Each(func(rank uint64) {
					if rank == slowRank {
						r.Compute(100 * time.Microsecond)
					}
				})
				byRank := target.Key(func(rank uint64) uint64 { return rank })
				toSlow, toFast := sends(target.New(r, "a", distribution.Ranks(3), byRank, handle),
					target.New(r, "b", distribution.Ranks(3), byRank, handle))
				flood := func(to send, rank uint64) {
					s.Go(func() {
						began := r.Now()
						for range pebbles {
							to(rank)
						}
						took[rank] = r.Now() - began
					})
				}
				return s.Run(func() {
					if r.ID() == 0 {
						flood(toSlow, slowRank)
						flood(toFast, fastRank)
					}
				})
			}))
			require.Less(t, took[fastRank], took[slowRank]/4)
		})
	}
}
