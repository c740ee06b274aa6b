package task_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Pieces of loops cover their range once, wait, nest, and need no further workers.
func TestLoopsOfARank(t *testing.T) {
	for _, workers := range []int{1, 2, 100} {
		for _, n := range []uint64{0, 1, 10, 1000} {
			for _, grain := range []uint64{1, 3, 10_000} {
				one(t, workers, func(s *task.Scheduler) func() {
					return func() {
						got := make([]int, n)
						s.For(0, n, grain, func(from, to uint64) {
							require.LessOrEqual(t, to-from, grain)
							s.Yield()
							for i := from; i < to; i++ {
								s.For(5, 15, 3, func(from, to uint64) {
									got[i] += int(to - from)
									s.Yield()
								})
							}
						})
						for i := range got {
							require.Equal(t, 10, got[i], "%d of %d", i, n)
						}
					}
				})
			}
		}
	}
}

func TestLoopsOfAllRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		const n = 5000
		grain := 1 + random.Uint64N(100)
		var got [n]atomic.Int32
		return func(r *pebble.Rank) error {
				s := task.New(r, task.Workers(4))
				loop := task.NewLoop(s, "loop", grain, func(from, to uint64) {
					if to-from > grain {
						panic("a long piece")
					}
					s.Yield()
					for i := from; i < to; i++ {
						got[i].Add(1)
					}
				})
				return s.Run(func() {
					loop.Spawn(7, 7)
					if r.ID() == r.Size()-1 {
						loop.Spawn(0, n)
					}
				})
			}, func(t *testing.T) {
				for i := range got {
					require.EqualValues(t, 1, got[i].Load(), "%d, grain %d", i, grain)
				}
			}
	})
}
