package target_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Everything that TrySend has taken arrives once, and nothing that it has not; whoever tries again comes through.
func TestTrySend(t *testing.T) {
	const each = 5_000
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, ranks := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s, %d ranks", topology(ranks).Name(), ranks), func(t *testing.T) {
				config := pebble.Config{Ranks: ranks, Topology: topology, Coalesce: 16, Credits: 1, BufferBudget: 4096}
				err := pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
					owners := distribution.Cyclic(uint64(ranks*each), ranks)
					got := make([]int, owners.LocalLen(r.ID()))
					mark := target.New(r, "mark", owners, target.Key(func(key uint64) uint64 { return key }),
						target.Each(func(key uint64) { got[owners.Local(key)]++ }))
					refused := 0
					err := r.Epoch(func() error {
						for key := uint64(r.ID()) * each; key < uint64(r.ID()+1)*each; key++ {
							for !mark.TrySend(key) {
								refused++
							}
						}
						return nil
					})
					if err != nil {
						return err
					}
					for i, n := range got {
						require.Equal(t, 1, n, "local key %d", i)
					}
					require.EqualValues(t, each, r.Counters().PebblesSent, "what was refused is not counted")
					all, err := pebble.AllReduce(r, refused, pebble.Sum)
					if ranks > 1 {
						require.Positive(t, all, "with credit of one frame some must be refused")
					}
					return err
				})
				require.NoError(t, err)
			})
		}
	}
}

// While another rank handles nothing, TrySend gives up and does not wait, in the main function, in handlers and in
// tasks: the main function of this very rank goes on to let the other one handle.
func TestTrySendGivesUp(t *testing.T) {
	blocked, goes := make(chan struct{}), make(chan struct{})
	config := pebble.Config{Ranks: 2, Coalesce: 4, Credits: 1}
	err := pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
		tasks := task.New(r)
		var sink *target.Target[uint64]
		fromHandler := false
		poke := target.New(r, "poke", distribution.Ranks(2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) { fromHandler = sink.TrySend(1) }))
		sink = target.New(r, "sink", distribution.Ranks(2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}))
		err := r.Epoch(func() error {
			if r.ID() == 1 {
				close(blocked)
				<-goes
				return nil
			}
			<-blocked
			sent := 0
			for sink.TrySend(1) {
				sent++
			}
			require.Positive(t, sent)
			fromHandler = true
			poke.SendAll([]uint64{0})
			require.False(t, fromHandler, "a handler is refused too")
			tasks.Go(func() {
				require.False(t, sink.TrySend(1), "and a task")
				close(goes)
			})
			return nil
		})
		return err
	})
	require.NoError(t, err)
}

// A call outside of an epoch ends the job, as one of Send does.
func TestTrySendOutside(t *testing.T) {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		target.New(r, "t", distribution.Ranks(1), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {})).TrySend(0)
		return nil
	})
	require.ErrorContains(t, err, `target "t": a pebble was sent outside of an epoch`)
}
