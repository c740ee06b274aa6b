package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// chasing asks for the next of a word until chases have gone so many steps, and checks where they end.
func chasing(r *pebble.Rank) error {
	const words, chases, steps = 500, 40, 15
	next := func(i uint64) uint64 { return (i*7 + 3) % words }
	type chase struct{ At, Start, Left uint64 }
	owner := distribution.Cyclic(words, r.Size())
	ended := 0
	var wrong error
	var ask *target.Ask[chase, uint64]
	ask = target.NewAskBatch(r, "next", owner, target.Key(func(c chase) uint64 { return c.At }),
		func(qs []chase, as []uint64) {
			for i, q := range qs {
				if owner.Owner(q.At) != r.ID() {
					wrong = fmt.Errorf("word %d was asked for at rank %d", q.At, r.ID())
				}
				as[i] = next(q.At)
			}
		},
		func(qs []chase, as []uint64) {
			var more []chase
			for i, q := range qs {
				q.At, q.Left = as[i], q.Left-1
				if q.Left > 0 {
					more = append(more, q)
					continue
				}
				want := q.Start
				for range steps {
					want = next(want)
				}
				if q.At != want || q.Start%uint64(r.Size()) != uint64(r.ID()) {
					wrong = fmt.Errorf("%+v on rank %d, not %d", q, r.ID(), want)
				}
				ended++
			}
			if len(more) > 1 {
				ask.SendAll(more[1:])
			}
			for _, q := range more[:min(1, len(more))] {
				ask.Send(q)
			}
		})
	begun := 0
	err := r.Epoch(func() error {
		var all []chase
		for start := range uint64(chases) {
			if start%uint64(r.Size()) == uint64(r.ID()) {
				all = append(all, chase{start, start, steps})
				begun++
			}
		}
		ask.SendAll(all)
		ask.Flush()
		return nil
	})
	if err == nil && ended != begun {
		err = fmt.Errorf("%d of %d chases ended", ended, begun)
	}
	if err == nil {
		err = wrong
	}
	return err
}

func TestAsk(t *testing.T) {
	seed := seeds.Of(t)
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, transport := range []string{"mem", "shm", "tcp"} {
			for _, factor := range []int{1, 64} {
				s := appstest.Shape{Ranks: ranks, Procs: min(2, ranks), Transport: transport, New: route.Direct,
					Coalesce: factor}
				require.NoError(t, s.Run(t, chasing), "%v", s)
			}
		}
		w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: seed, Faults: sim.Faults{Delay: 0.2,
			Double: 0.2}})
		require.NoError(t, err)
		require.NoError(t, w.Each(func(p netio.Transport) error {
			return run(t, pebble.Config{Transport: p, Topology: route.Hypercube, Coalesce: 8}, chasing)
		}))
	}
}

// Questions keep a declared depth, two pebbles each.
func TestAskWithinADepth(t *testing.T) {
	for _, depth := range []int{1, 2} {
		answers := 0
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			ask := target.NewAskBatch(r, "ask", distribution.Cyclic(2, 2), target.Key(func(q uint64) uint64 { return q }),
				func(qs, as []uint64) { copy(as, qs) },
				func(qs, as []uint64) {
					require.Equal(t, qs, as)
					answers += len(as)
				})
			return r.Epoch(func() error {
				if r.ID() == 0 {
					ask.Send(0)
					ask.Send(1)
				}
				return nil
			}, pebble.Depth(depth))
		})
		if depth == 2 {
			require.NoError(t, err)
			require.Equal(t, 2, answers)
			continue
		}
		var told *pebble.DepthError
		require.ErrorAs(t, err, &told)
	}
}

func TestAskAllocatesNothing(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		ask := target.NewAskBatch(r, "ask", distribution.Cyclic(100, 1), target.Key(func(q uint64) uint64 { return q }),
			func(qs, as []uint64) { copy(as, qs) }, func(_, _ []uint64) {})
		return r.Epoch(func() error {
			all := make([]uint64, 100)
			require.Zero(t, testing.AllocsPerRun(100, func() { ask.SendAll(all) }))
			return nil
		})
	}))
}

func TestAskWithoutFunctions(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		target.NewAsk[uint64, uint64](r, "ask", distribution.Cyclic(1, 1), target.LowBits[uint64](0), nil, nil)
		return nil
	})
	require.ErrorContains(t, err, "give both")
}

func TestAskWithoutKeys(t *testing.T) {
	for _, keying := range []target.Keying[uint64]{{}, target.Key[uint64](nil)} {
		err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			target.NewAskBatch(r, "ask", distribution.Cyclic(1, 1), keying, func(_, _ []uint64) {}, func(_, _ []uint64) {})
			return nil
		})
		require.ErrorContains(t, err, "it has no key function")
	}
}

// Answers go by options of their own, and a target without answers refuses them.
func TestAnswersGoAsTheyAre(t *testing.T) {
	const asked = 100
	run := func(options ...target.Option) (sent pebble.Counters) {
		s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			got := 0
			ask := target.NewAskBatch(r, "double", distribution.Ranks(2), target.Key(func(uint64) uint64 { return 1 }),
				func(qs []uint64, as []uint64) {
					for i, q := range qs {
						as[i] = 2 * q
					}
				}, func(qs, as []uint64) {
					for i := range qs {
						require.Equal(t, 2*qs[i], as[i])
					}
					got += len(qs)
				}, options...)
			err := r.Epoch(func() error {
				for i := range uint64(asked) {
					if r.ID() == 0 {
						ask.Send(i)
					}
				}
				return nil
			})
			if r.ID() == 0 {
				require.Equal(t, asked, got)
			} else {
				sent = r.Counters()
			}
			return err
		}))
		return sent
	}
	require.Less(t, run().FramesSent, uint64(asked/10))
	require.EqualValues(t, asked, run(target.Answers(target.Coalesce(1))).FramesSent)
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	require.ErrorContains(t, s.Run(t, func(r *pebble.Rank) error {
		target.New(r, "t", distribution.Ranks(2), target.Key(func(v uint64) uint64 { return v }),
			target.Each(func(uint64) {}), target.Answers())
		return nil
	}), "leave target.Answers out")
}
