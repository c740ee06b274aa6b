package task_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// node is one of an unbalanced tree.
type node struct {
	State uint64
	Depth uint32
	Tree  uint32
}

// children draws the children of a node: few have many.
func (n node) children(visit func(node)) {
	random := rand.New(rand.NewPCG(n.State, uint64(n.Depth)))
	if n.Depth > 12 || n.Depth > 2 && random.IntN(3) > 0 {
		return
	}
	for range random.IntN(6) {
		visit(node{random.Uint64(), n.Depth + 1, n.Tree})
	}
}

// size is the serial twin of a search.
func (n node) size() (nodes int64) {
	nodes = 1
	n.children(func(c node) { nodes += c.size() })
	return nodes
}

// A tree whose root lies on one rank is searched by all, and each node is visited once, over several epochs.
func TestTreesAreSearchedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	roots := make([]node, 3)
	want := make([]int64, 3)
	for i := range roots {
		for want[i] < 100 { // in smaller ones there is little to steal
			roots[i] = node{State: random.Uint64(), Tree: uint32(i)}
			want[i] = roots[i].size()
		}
	}
	for _, most := range []int{1, 7} {
		appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
			var got [3]atomic.Int64
			return func(r *pebble.Rank) error {
					s := task.New(r, task.Workers(3))
					var visit *task.Kind[node]
					all := func(ns []node) {
						for _, n := range ns {
							got[n.Tree].Add(1)
							r.Compute(time.Microsecond)
							n.children(visit.Spawn)
							if n.State%5 == 0 {
								s.Yield()
							}
						}
					}
					if most == 1 {
						visit = task.NewKind(s, "visit", func(n node) { all([]node{n}) })
					} else {
						visit = task.NewKindBatch(s, "visit", most, all)
					}
					for i := range roots {
						if err := s.Run(func() {
							if i%r.Size() == r.ID() {
								visit.Spawn(roots[i])
							}
						}); err != nil {
							return err
						}
					}
					return nil
				}, func(t *testing.T) {
					for i := range want {
						require.Equal(t, want[i], got[i].Load(), "tree %d", i)
					}
				}
		})
	}
}

// Ranks without work get some from the one that has all of it: the tasks of a simulated job take hardly more than
// their share of the time.
func TestWorkIsShared(t *testing.T) {
	const tasks = 4000
	for _, ranks := range []int{2, 5, 16} {
		ran := make([]int64, ranks)
		var stolen atomic.Int64
		w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: 3})
		require.NoError(t, err)
		require.NoError(t, w.Each(func(p netio.Transport) error {
			return run(t, pebble.Config{Transport: p}, func(r *pebble.Rank) error {
				s := task.New(r)
				work := task.NewKind(s, "work", func(uint32) {
					ran[r.ID()]++
					r.Compute(10 * time.Microsecond)
				})
				defer func() { stolen.Add(int64(s.Counts().Stolen)) }()
				return s.Run(func() {
					for i := range uint32(tasks) {
						if r.ID() == ranks/2 {
							work.Spawn(i)
						}
					}
				})
			})
		}))
		for _, n := range ran {
			require.Positive(t, n, "%d", ran)
		}
		require.EqualValues(t, tasks, sum(ran))
		require.Positive(t, stolen.Load())
		least := tasks * 10e-6 / float64(ranks)
		require.Less(t, w.Stats().Seconds, 2*least, "%d ranks", ranks)
	}
}

// Ranks that have asked in vain and keep quiet get tasks when there are some, over lifelines from rank to rank.
func TestLifelines(t *testing.T) {
	const tasks = 4000
	for _, ranks := range []int{2, 7, 16} {
		ran := make([]int64, ranks)
		w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: 3})
		require.NoError(t, err)
		require.NoError(t, w.Each(func(p netio.Transport) error {
			return run(t, pebble.Config{Transport: p}, func(r *pebble.Rank) error {
				s := task.New(r)
				work := task.NewKind(s, "work", func(uint32) {
					ran[r.ID()]++
					r.Compute(10 * time.Microsecond)
				})
				return s.Run(func() {
					if r.ID() > 0 {
						return
					}
					for range 1000 { // until nobody asks any more
						r.Compute(10 * time.Microsecond)
						s.Yield()
					}
					for i := range uint32(tasks) {
						work.Spawn(i)
					}
				})
			})
		}))
		for _, n := range ran {
			require.Positive(t, n, "%d", ran)
		}
		require.EqualValues(t, tasks, sum(ran))
	}
}

func sum(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// Tasks for a rank run there and nowhere else, whoever spawns them.
func TestTasksForRanks(t *testing.T) {
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		var ran atomic.Int64
		return func(r *pebble.Rank) error {
				s := task.New(r)
				words := distribution.Block(100, r.Size())
				var visit *task.Kind[[2]uint64] // key, and tasks still to spawn
				visit = task.NewKind(s, "visit", func(v [2]uint64) {
					if words.Owner(v[0]) != r.ID() {
						panic(fmt.Sprintf("key %d on rank %d", v[0], r.ID()))
					}
					ran.Add(1)
					for range min(v[1], 2) {
						key := (v[0]*7 + v[1]) % 100
						visit.SpawnAt(words, key, [2]uint64{key, v[1] - 1})
					}
				})
				return r.Epoch(func() error { // also by the main function
					for key := range uint64(100) {
						visit.SpawnOn(words.Owner(key), [2]uint64{key, 3})
					}
					return nil
				})
			}, func(t *testing.T) {
				require.EqualValues(t, ranks*100*(1+2+4+4), ran.Load())
			}
	})
}

func TestKindsAreCheckedInWords(t *testing.T) {
	for want, f := range map[string]func(s *task.Scheduler) error{
		"batches of 0 tasks": func(s *task.Scheduler) error {
			task.NewKindBatch(s, "k", 0, func([]uint64) {})
			return nil
		},
		"a task for rank 2": func(s *task.Scheduler) error {
			k := task.NewKind(s, "k", func(uint64) {})
			return s.Run(func() { k.SpawnOn(2, 0) })
		},
		"a task for rank -1": func(s *task.Scheduler) error {
			k := task.NewKind(s, "k", func(uint64) {})
			return s.Run(func() { k.SpawnAt(distribution.Cyclic(2, 2), 5, 0) })
		},
		"Spawn was called outside of an epoch": func(s *task.Scheduler) error {
			task.NewKind(s, "k", func(uint64) {}).Spawn(1)
			return nil
		},
		"1 more have not begun, since all 1 workers": func(s *task.Scheduler) error {
			k := task.NewKind(s, "k", func(uint64) {})
			return s.Run(func() {
				k.Spawn(1)
				s.Suspend()
			})
		},
	} {
		require.ErrorContains(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { return f(task.New(r, task.Workers(1))) }), want)
	}
}

func BenchmarkSpawn(b *testing.B) {
	b.ReportAllocs()
	one(b, 100, func(s *task.Scheduler) func() {
		var k *task.Kind[uint64]
		k = task.NewKind(s, "k", func(left uint64) {
			if left > 0 {
				k.Spawn(left - 1)
			}
		})
		return func() { k.Spawn(uint64(b.N)) }
	})
}

// Tasks for a rank run there, also where others have none.
func TestTasksForARankAreNotStolen(t *testing.T) {
	const tasks = 300
	var ran [3]int
	require.NoError(t, simulate(t, sim.Config{Ranks: 3, Seed: 3}, pebble.Config{}, func(r *pebble.Rank) error {
		s := task.New(r)
		work := task.NewKind(s, "work", func(uint32) {
			r.Compute(100 * time.Microsecond)
			ran[r.ID()]++
		})
		return s.Run(func() {
			if r.ID() == 1 {
				for i := range uint32(tasks) {
					work.SpawnOn(0, i)
				}
			}
		})
	}))
	require.Equal(t, [3]int{tasks}, ran)
}
