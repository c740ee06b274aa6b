package task_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// node is a node of an unbalanced tree.
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

// All ranks search a tree whose root lies on one rank, and visit each node once, over several epochs.
func TestTreesAreSearchedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	roots := make([]node, 3)
	want := make([]int64, 3)
	for i := range roots {
		for want[i] < 100 { // smaller ones have little to steal
			roots[i] = node{State: random.Uint64(), Tree: uint32(i)}
			want[i] = roots[i].size()
		}
	}
	for _, most := range []int{1, 7, math.MaxInt} {
		appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
			var got [3]atomic.Int64
			return func(r *pebble.Rank) error {
					s := task.New(r, task.Workers(3))
					var visit *task.Kind[node]
					all := func(ns []node) {
						for _, n := range ns {
							if got[n.Tree].Add(1) > want[n.Tree] { // a job that runs tasks twice may never end
								panic(fmt.Sprintf("tree %d has more than its %d nodes", n.Tree, want[n.Tree]))
							}
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

// working returns a rank's function: its tasks take 10 µs each, and are counted by rank and by their number.
func working(ran [][4]int, root func(s *task.Scheduler, work *task.Kind[int])) func(r *pebble.Rank) error {
	return rooted(func(s *task.Scheduler) func() {
		work := task.NewKind(s, "work", func(n int) {
			ran[s.Rank().ID()][n]++
			s.Rank().Compute(10 * time.Microsecond)
		})
		return func() { root(s, work) }
	})
}

// pass lets time pass while the rank answers requests for tasks, until no rank asks any more.
func pass(s *task.Scheduler) {
	for range 1000 {
		s.Rank().Compute(10 * time.Microsecond)
		s.Yield()
	}
}

// Idle ranks get tasks from the one that has all: the job takes hardly more than its share of time.
func TestWorkIsShared(t *testing.T) {
	const tasks = 4000
	for _, ranks := range []int{2, 5, 16} {
		ran, stolen, took := make([][4]int, ranks), make([]uint64, ranks), make([]time.Duration, ranks)
		require.NoError(t, simulate(t, sim.Config{Ranks: ranks, Seed: 3}, pebble.Config{}, func(r *pebble.Rank) error {
			var scheduler *task.Scheduler
			err := working(ran, func(s *task.Scheduler, work *task.Kind[int]) {
				scheduler = s
				for range tasks {
					if r.ID() == ranks/2 {
						work.Spawn(0)
					}
				}
			})(r)
			stolen[r.ID()], took[r.ID()] = scheduler.Counts().Stolen, r.Now()
			return err
		}))
		sum := 0
		for _, n := range ran {
			require.Positive(t, n[0], "%d", ran)
			sum += n[0]
		}
		require.Equal(t, tasks, sum)
		require.Positive(t, slices.Max(stolen))
		require.Less(t, slices.Max(took), 2*tasks*10*time.Microsecond/time.Duration(ranks), "%d ranks", ranks)
	}
}

// Ranks whose requests failed get tasks when some appear, over lifelines from rank to rank, each time that they are
// idle.
func TestLifelines(t *testing.T) {
	const bursts, tasks = 4, 1000
	for _, ranks := range []int{2, 7, 16} {
		ran := make([][bursts]int, ranks)
		job := working(ran, func(s *task.Scheduler, work *task.Kind[int]) {
			for burst := 0; s.Rank().ID() == 0 && burst < bursts; burst++ {
				pass(s)
				for range tasks {
					work.Spawn(burst)
				}
			}
		})
		require.NoError(t, simulate(t, sim.Config{Ranks: ranks, Seed: 3}, pebble.Config{}, job))
		for burst := range bursts {
			sum := 0
			for _, n := range ran {
				require.Positive(t, n[burst], "%d", ran)
				sum += n[burst]
			}
			require.Equal(t, tasks, sum)
		}
	}
}

// Tasks for a rank run there and nowhere else, for every spawner.
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

// Tasks for a rank run there, also while others are idle.
func TestTasksForARankAreNotStolen(t *testing.T) {
	ran := make([][4]int, 3)
	require.NoError(t, simulate(t, sim.Config{Ranks: 3, Seed: 3}, pebble.Config{},
		working(ran, func(s *task.Scheduler, work *task.Kind[int]) {
			for range 3000 {
				if s.Rank().ID() == 1 {
					work.SpawnOn(0, 0)
				}
			}
		})))
	require.Equal(t, [][4]int{{3000}, {}, {}}, ran)
}
