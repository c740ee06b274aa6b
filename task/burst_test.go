package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// After any number of short tasks, a rank with long ones polls between them, and shares them.
func TestLongTasksEndBursts(t *testing.T) {
	const long, each = 400, time.Millisecond
	for _, short := range []int{0, 300, 100_000} {
		var ran [2]int
		var waited time.Duration
		require.NoError(t, simulate(t, sim.Config{Ranks: 2, Seed: 3}, pebble.Config{}, func(r *pebble.Rank) error {
			s := task.New(r)
			work := task.NewKind(s, "work", func(busy time.Duration) {
				if busy > 0 {
					ran[r.ID()]++
					r.Compute(busy)
				}
			})
			pings := target.New(r, "pings", distribution.Ranks(2), target.Key(func(time.Duration) uint64 { return 0 }),
				target.Each(func(sent time.Duration) { waited = max(waited, r.Now()-sent) }))
			return s.Run(func() {
				if r.ID() == 1 {
					for range 20 {
						pings.Send(r.Now())
						pings.Flush()
						r.Compute(each)
						s.Yield()
					}
					return
				}
				for range long {
					work.Spawn(each)
				}
				for range short { // the newest begin first
					work.Spawn(0)
				}
			})
		}))
		require.Equal(t, long, ran[0]+ran[1])
		require.Greater(t, ran[1], long/3, "after %d short tasks", short)
		require.Less(t, waited, 40*each, "after %d short tasks", short)
	}
}

// Tasks that fill a frame each don't use up a link's credit before their rank polls.
func TestFramesEndBursts(t *testing.T) {
	const tasks, step = 10_000, 32
	ran, most := 0, 0 // since rank 0 polled
	world, single := sim.Config{Ranks: 2, Seed: 3}, pebble.Config{Coalesce: 1}
	require.NoError(t, simulate(t, world, single, rooted(func(s *task.Scheduler) func() {
		looks := numbers(s.Rank(), "looks", func(to uint64) {
			if to == 0 {
				ran = 0
			}
		})
		return func() {
			for n := 0; s.Rank().ID() == 0 && n < tasks; n++ {
				s.Go(func() {
					ran++
					most = max(most, ran)
					looks.Send(0)
					looks.Send(1)
				})
			}
		}
	}, task.Workers(2*tasks))))
	require.LessOrEqual(t, most, 2*step)
}

// While all workers of a rank wait, the tasks that its handlers spawn go to a rank with a lifeline to it.
func TestTakenWorkersShare(t *testing.T) {
	const tasks = 200
	early, woken := 0, false
	require.NoError(t, simulate(t, sim.Config{Ranks: 3, Seed: 3}, pebble.Config{}, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(1))
		work := task.NewKind(s, "work", func(uint32) {
			r.Compute(100 * time.Microsecond)
			if !woken {
				early++
			}
		})
		var root task.Task
		atZero := target.Key(func(uint32) uint64 { return 0 })
		spawn := target.New(r, "spawn", distribution.Ranks(3), atZero, target.Each(func(n uint32) {
			for i := range n {
				work.Spawn(i)
			}
			if n == 0 {
				woken = true
				s.Wake(root)
			}
		}))
		pass := func(d time.Duration) { // answers requests for tasks meanwhile
			for end := r.Now() + d; r.Now() < end; s.Yield() {
				r.Compute(100 * time.Microsecond)
			}
		}
		return s.Run(func() {
			switch r.ID() {
			case 0:
				root = s.Self()
				s.Suspend()
			case 2:
				pass(5 * time.Millisecond) // until rank 1 stops asking
				spawn.Send(tasks)
				spawn.Flush()
				pass(45 * time.Millisecond)
				spawn.Send(0)
			}
		})
	}))
	require.Greater(t, early, tasks/4)
}

// A task waits for room on its own links: one that floods a fast rank doesn't wait for one that floods a slow rank,
// with separate targets, with one for both, and in batches.
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
			world, tight := sim.Config{Ranks: 3, Seed: 3}, pebble.Config{Credits: 2, Coalesce: 4}
			require.NoError(t, simulate(t, world, tight, rooted(func(s *task.Scheduler) func() {
				r := s.Rank()
				handle := func(rank uint64) {
					if rank == slowRank {
						r.Compute(100 * time.Microsecond)
					}
				}
				toSlow, toFast := sends(numbers(r, "a", handle), numbers(r, "b", handle))
				flood := func(to send, rank uint64) {
					s.Go(func() {
						began := r.Now()
						for range pebbles {
							to(rank)
						}
						took[rank] = r.Now() - began
					})
				}
				return func() {
					if r.ID() == 0 {
						flood(toSlow, slowRank)
						flood(toFast, fastRank)
					}
				}
			})))
			require.Less(t, took[fastRank], took[slowRank]/4)
		})
	}
}
