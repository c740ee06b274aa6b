package target_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Pebbles that look for a key on its way keep ranks busy and frames in flight. The key must arrive all the same: past
// hops, without credit, beyond the budget, and where ranks share buffers. A simulated job ends by its limit of turns
// when it does not.
func TestKeysArriveWhilePebblesLookForThem(t *testing.T) {
	ring, err := route.ByName("ring")
	require.NoError(t, err)
	for _, c := range []struct {
		name             string
		ranks, processes int
		config           pebble.Config
	}{
		{"over hops", 5, 1, pebble.Config{Topology: ring, Coalesce: 64}},
		{"one frame of credit", 4, 2, pebble.Config{Coalesce: 2, Credits: 1}},
		{"a budget of one byte", 3, 1, pebble.Config{Coalesce: 1, BufferBudget: 1}},
	} {
		for name, options := range map[string][]target.Option{"plain": nil,
			"coded": {target.Coded[uint64](plainCodec{})}} {
			t.Run(c.name+", "+name, func(t *testing.T) {
				c.config.Due = -1 // nothing leaves by time
				w, err := sim.New(sim.Config{Ranks: c.ranks, Processes: c.processes, TurnLimit: 1_000_000,
					Network: sim.Machines["flat"]})
				require.NoError(t, err)
				require.NoError(t, w.Each(func(tr netio.Transport) error {
					config := c.config
					config.Transport = tr
					return pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
						return chase(r,
							options)
					})
				}))
			})
		}
	}
}

// chase moves keys all the time, by main functions and handlers, and checks that their counters find them again.
func chase(r *pebble.Rank, options []target.Option) error {
	const keys, sends, turns = 7, 40, 12
	var counters [keys]uint64
	place := target.NewDirectory(r, "place", distribution.Cyclic(keys, r.Size()),
		func(key uint64) uint64 { n := counters[key]; counters[key] = 0; return n },
		func(key, n uint64) { counters[key] = n }, options...)
	step := uint64(0)
	move := func(key uint64) {
		step++
		if place.Owns(key) {
			place.Move(key, int(key+step)%r.Size())
		}
	}
	var hit *target.Target[uint64]
	hit = target.New(r, "hit", place, target.Key(func(v uint64) uint64 { return v % keys }),
		target.Each(func(v uint64) {
			counters[v%keys]++
			if v >= keys {
				hit.Send(v - keys)
			}
			move(v % keys)
		}), target.Coalesce(1))
	err := r.Epoch(func() error {
		for i := range uint64(sends) {
			hit.Send(i%keys + (turns-1)*keys)
			move(i % keys)
		}
		return nil
	})
	if err != nil {
		return err
	}
	here := uint64(0)
	for key, n := range counters {
		if here += n; n > 0 && !place.Owns(uint64(key)) {
			return fmt.Errorf("rank %d counts for key %d, which is elsewhere", r.ID(), key)
		}
	}
	all, err := pebble.AllReduce(r, here, func(a, b uint64) uint64 { return a + b })
	if want := uint64(r.Size() * sends * turns); err == nil && all != want {
		return fmt.Errorf("%d pebbles were counted, not %d", all, want)
	}
	return err
}

// A handler gives away more keys than it has credit for, and its rank is not idle before a pebble has found the last
// one.
func TestKeysLeaveWhenCreditComes(t *testing.T) {
	const keys = 8
	w, err := sim.New(sim.Config{Ranks: 2, Processes: 2, TurnLimit: 100_000})
	require.NoError(t, err)
	require.NoError(t, w.Each(func(tr netio.Transport) error {
		c := pebble.Config{Transport: tr, Credits: 1, Coalesce: 64, Due: -1}
		return pebble.Run(context.Background(), c, func(r *pebble.Rank) error { return giveAway(r, keys) })
	}))
}

func giveAway(r *pebble.Rank, keys uint64) error {
	place := target.NewDirectory(r, "place", distribution.Block(2*keys, 2), func(uint64) uint64 { return 0 },
		func(uint64, uint64) {})
	two := distribution.Cyclic(2, 2)
	found := false
	tell := target.New(r, "tell", two, target.Key(identity), target.Each(func(uint64) { found = true }),
		target.Coalesce(1))
	hit := target.New(r, "hit", place, target.Key(identity), target.Each(func(uint64) {
		tell.Send(0)
		tell.Flush()
	}), target.Coalesce(1))
	var busy *target.Target[uint64]
	busy = target.New(r, "busy", two, target.Key(identity), target.Each(func(v uint64) {
		if !found {
			busy.Send(v)
		}
	}), target.Coalesce(1))
	order := target.New(r, "order", two, target.Key(identity), target.Each(func(v uint64) {
		for key := range keys {
			place.Move(key, 1)
		}
		hit.Send(keys - 1)
		hit.Flush()
		busy.Send(v)
	}))
	return r.Epoch(func() error {
		if r.ID() == 1 {
			order.Send(0)
		}
		return nil
	})
}
