package task_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Tasks whose argument is a text run once, stolen or sent, including empty texts and texts longer than a frame.
func TestTasksOfTexts(t *testing.T) {
	texts := []string{"", "a", strings.Repeat("long ", 20_000)}
	for i := range 200 {
		texts = append(texts, strings.Repeat(fmt.Sprint(i), i))
	}
	for _, most := range []int{1, 7} {
		appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
			var mutex sync.Mutex
			ran := map[string]int{}
			return func(r *pebble.Rank) error {
					s := task.New(r, task.Workers(3))
					all := func(as []string) {
						mutex.Lock()
						for _, a := range as {
							ran[a]++
						}
						mutex.Unlock()
						r.Compute(time.Microsecond)
						s.Yield()
					}
					var work *task.Kind[string]
					if most == 1 {
						work = task.NewKind(s, "work", func(a string) { all([]string{a}) },
							target.Coded(pebble.Strings{}))
					} else {
						work = task.NewKindBatch(s, "work", most, all, target.Coded(pebble.Strings{}))
					}
					return s.Run(func() {
						for i, text := range texts {
							if r.ID() == 0 {
								work.Spawn(text)
							}
							work.SpawnOn(i%ranks, text)
						}
					})
				}, func(t *testing.T) {
					want := map[string]int{}
					for _, text := range texts {
						want[text] += 1 + ranks
					}
					require.Equal(t, want, ran)
				}
		})
	}
}

// One theft carries no more than a handler may send: a thief gets some long arguments, and not half of all.
func TestTheftsOfLongTextsAreBounded(t *testing.T) {
	const tasks, bytes = 200, 20_000
	var most [2]uint64
	world := sim.Config{Ranks: 2, Seed: 1}
	require.NoError(t, simulate(t, world, pebble.Config{}, rooted(func(s *task.Scheduler) func() {
		r, seen := s.Rank(), uint64(0)
		work := task.NewKind(s, "work", func(string) {
			now := s.Counts().Stolen
			most[r.ID()], seen = max(most[r.ID()], now-seen), now
			r.Compute(10 * time.Microsecond)
		}, target.Coded(pebble.Strings{}))
		return func() {
			for range tasks {
				if r.ID() == 0 {
					work.Spawn(strings.Repeat("x", bytes))
				}
			}
		}
	})))
	require.Positive(t, most[1])
	require.LessOrEqual(t, most[1], uint64(2*(64<<10)/bytes), "%d tasks came between two", most[1])
}
