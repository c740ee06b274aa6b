package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Two ranks mark the same link, or the same rank, at the same moment, one down and one up: once the marks have come
// everywhere all ranks see the same, and a pebble arrives.
func TestMarksThatCross(t *testing.T) {
	const ranks = 5
	for name, mark := range map[string]func(r *pebble.Rank, down bool){
		"link": func(r *pebble.Rank, down bool) { r.MarkLink(1, 2, down) },
		"rank": func(r *pebble.Rank, down bool) { r.MarkRank(1, down) },
	} {
		for _, first := range []int{0, 1} { // who marks it down
			for _, processes := range []int{ranks, 3} {
				t.Run(name, func(t *testing.T) {
					var sees [ranks]bool
					got := 0
					c := sim.Config{Ranks: ranks, Processes: processes, TimeLimit: 100 * time.Millisecond}
					_, err := run(t, c, pebble.Config{Topology: route.Dynamic(route.Ring), Coalesce: 1}, func(r *pebble.Rank) error {
						to := target.New(r, "to", distribution.Cyclic(ranks, ranks), target.Key(func(v uint64) uint64 { return v }),
							target.Each(func(uint64) { got++ }))
						if err := r.Barrier(); err != nil {
							return err
						}
						if r.ID() < 2 {
							mark(r, r.ID() == first)
						}
						for range 3 {
							if err := r.Barrier(); err != nil {
								return err
							}
						}
						sees[r.ID()] = r.Links().Down(1, 2) || r.Links().RankDown(1)
						return r.Epoch(func() error {
							if r.ID() == 0 {
								to.Send(2)
							}
							return nil
						})
					})
					require.NoError(t, err)
					require.Equal(t, 1, got)
					for _, down := range sees {
						require.Equal(t, sees[0], down, "ranks see %v", sees)
					}
				})
			}
		}
	}
}
