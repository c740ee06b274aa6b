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

// However many short tasks came first, a rank with long ones looks at what arrives after some of them, and shares them
// with ranks that have none.
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

// Tasks that fill a frame each don't use up a link's credit before their rank looks at what has arrived.
func TestFramesEndBursts(t *testing.T) {
	const tasks, step = 10_000, 32
	ran, most := 0, 0 // since rank 0 looked
	alone := pebble.Config{Coalesce: 1}
	require.NoError(t, simulate(t, sim.Config{Ranks: 2, Seed: 3}, alone, func(r *pebble.Rank) error {
		s := task.New(r, task.Workers(2*tasks))
		looks := target.New(r, "looks", distribution.Ranks(2), target.Key(func(to uint64) uint64 { return to }),
			target.Each(func(to uint64) {
				if to == 0 {
					ran = 0
				}
			}))
		return s.Run(func() {
			if r.ID() != 0 {
				return
			}
			for range tasks {
				s.Go(func() {
					ran++
					most = max(most, ran)
					looks.Send(0)
					looks.Send(1)
				})
			}
		})
	}))
	require.LessOrEqual(t, most, 2*step)
}

// While all workers of a rank wait, what its handlers spawn goes to a rank that has left word over a lifeline.
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
		spawn := target.New(r, "spawn", distribution.Ranks(3), target.Key(func(uint32) uint64 { return 0 }), target.Each(func(n uint32) {
			for i := range n {
				work.Spawn(i)
			}
			if n == 0 {
				woken = true
				s.Wake(root)
			}
		}))
		pass := func(d time.Duration) { // and answer those who ask for tasks
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
				pass(5 * time.Millisecond) // until rank 1 asks no more
				spawn.Send(tasks)
				spawn.Flush()
				pass(45 * time.Millisecond)
				spawn.Send(0)
			}
		})
	}))
	require.Greater(t, early, tasks/4)
}
