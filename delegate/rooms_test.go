package delegate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A task that asks a rank which answers at once doesn't wait for one that floods a slow rank, by the same delegate.
func TestTasksAskOverTheirOwnLinks(t *testing.T) {
	const questions, slowRank, fastRank, together = 1000, 1, 2, 500
	for name, ask := range map[string]func(d *delegate.Delegate[uint64, uint64], rank uint64){
		"Do": func(d *delegate.Delegate[uint64, uint64], rank uint64) { d.Do(rank) },
		"Start": func(d *delegate.Delegate[uint64, uint64], rank uint64) {
			_ = d.Start(rank)
		},
		"CallAll": func(d *delegate.Delegate[uint64, uint64], rank uint64) {
			d.CallAll(slices.Repeat([]uint64{rank}, together), make([]uint64, together))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var took [3]time.Duration
			count := questions
			if name == "CallAll" {
				count /= together
			}
			w, err := sim.New(sim.Config{Ranks: 3, Processes: 3, Seed: 3})
			require.NoError(t, err)
			require.NoError(t, w.Each(func(p netio.Transport) error {
				c := pebble.Config{Transport: p, Credits: 2, Coalesce: 4}
				return run(t, c, func(r *pebble.Rank) error {
					s := task.New(r)
					d := delegate.New(s, "d", distribution.Ranks(3), itself, func(rank uint64) uint64 {
						if rank == slowRank {
							r.Compute(100 * time.Microsecond)
						}
						return rank
					})
					flood := func(rank uint64) {
						s.Go(func() {
							began := r.Now()
							for range count {
								ask(d, rank)
							}
							took[rank] = r.Now() - began
						})
					}
					return s.Run(func() {
						if r.ID() == 0 {
							flood(slowRank)
							flood(fastRank)
						}
					})
				})
			}))
			require.Less(t, took[fastRank], took[slowRank]/4)
		})
	}
}
