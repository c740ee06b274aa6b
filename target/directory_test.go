package target_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// text is a codec for strings, as a user would write it.
type text struct{}

func (text) Append(dst []byte, s string) ([]byte, error) { return append(dst, s...), nil }
func (text) Decode(src []byte) (string, error)           { return string(src), nil }

// Counters move between ranks, and every increment in flight must reach its counter, however pebbles travel.
func TestMovingKeysLoseNoPebble(t *testing.T) {
	merged, coded := target.Reduce(added), target.Coded[amount](amounts{})
	variants := [][]target.Option{nil, {merged}, {coded}, {coded, merged}}
	everywhere(t, 2, len(variants), func(t *testing.T, c pebble.Config, variant int) {
		found := make([]uint64, c.Ranks) // by rank: increments found at the end
		job(t, c, func(r *pebble.Rank) (err error) {
			found[r.ID()], err = wander(r, variants[variant])
			return err
		})
		require.EqualValues(t, wanderings*c.Ranks, sumOf(found))
	})
}

const wanderings = 300 // increments sent per rank

// wander sends increments to counters that move all the time, and returns the sum of those that are here at the end.
func wander(r *pebble.Rank, options []target.Option) (sum uint64, err error) {
	const keys = 40
	counters := map[uint64]uint64{}
	rng := rand.New(rand.NewPCG(7, uint64(r.ID())))
	where := target.NewDirectory(r, "counters", distribution.Block(keys, r.Size()),
		func(key uint64) uint64 { n := counters[key]; delete(counters, key); return n },
		func(key, n uint64) { counters[key] = n })
	add := target.New(r, "add", where, byKey,
		target.Each(func(a amount) {
			if !where.Owns(a.key) {
				panic("a pebble was handled away from its key")
			}
			counters[a.key] += a.n
			if rng.IntN(3) == 0 {
				where.Move(a.key, rng.IntN(r.Size()))
			}
		}), options...)
	err = epoch(r, func() {
		batch := make([]amount, 30)
		for i := range wanderings / len(batch) {
			for j := range batch {
				batch[j] = amount{rng.Uint64N(keys), 1}
				if i%2 == 0 {
					add.Send(batch[j])
				}
			}
			if i%2 == 1 {
				add.SendAll(batch)
			}
			if k := rng.Uint64N(keys); where.Owns(k) {
				where.Move(k, rng.IntN(r.Size()))
			}
		}
	})
	for _, n := range counters {
		sum += n
	}
	return sum, err
}

// Keys that the main function moves share frames, as pebbles of the same size do. Nothing is due by the clock here, so
// moves leave after every 1,024 pieces of work, when their frame is full, and when the rank is idle.
func TestMovesShareFrames(t *testing.T) {
	const each = 10_000 // keys of a rank
	var arrived [2]int
	counters := job(t, pebble.Config{Ranks: 2, Due: -1, Period: -1}, func(r *pebble.Rank) error {
		where := target.NewDirectory(r, "keys", distribution.Block(2*each, 2),
			func(key uint64) [2]uint64 { return [2]uint64{key, 1} },
			func(key uint64, state [2]uint64) {
				if state[0] == key {
					arrived[r.ID()]++
				}
			})
		return epoch(r, func() {
			for key := range uint64(each) {
				where.Move(each*uint64(r.ID())+key, 1-r.ID())
			}
		})
	})
	require.Equal(t, [2]int{each, each}, arrived)
	for _, c := range counters {
		require.LessOrEqual(t, c.FramesSent, uint64(each/64))
	}
}

func TestMovingStateByCodec(t *testing.T) {
	var names [3]map[uint64]string
	job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		id := uint64(r.ID())
		own := map[uint64]string{id: fmt.Sprint("name of ", id)}
		names[id] = own
		where := target.NewDirectory(r, "names", distribution.Block(3, 3),
			func(key uint64) string { s := own[key]; delete(own, key); return s },
			func(key uint64, s string) { own[key] = s }, target.Coded[string](text{}))
		err := epoch(r, func() { where.Move(id, int(id+1)%3) })
		require.True(t, where.Owns((id+2)%3))
		require.False(t, where.Owns(id))
		return err
	})
	require.Equal(t, [3]map[uint64]string{{2: "name of 2"}, {0: "name of 0"}, {1: "name of 1"}}, names)
}

// A key moves at once if the handler that moves it is of a target without a directory, or over another directory.
// Nothing else happens on its rank in that epoch.
func TestMoveFromAnotherTargetsHandler(t *testing.T) {
	for name, options := range map[string][]target.Option{"plain": nil, "coded": {target.Coded[uint64](plainCodec{})}} {
		for _, moving := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, keys that move: %v", name, moving), func(t *testing.T) {
				var gone, has [2]bool
				state := [2]uint64{77, 0}
				job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
					where := target.NewDirectory(r, "where", distribution.Cyclic(2, 2),
						func(uint64) uint64 { return state[r.ID()] }, func(_, n uint64) { state[r.ID()] = n })
					numbers(r, "work", where, ignore)
					var place distribution.Map = distribution.Cyclic(2, 2)
					if moving {
						place = empty(r, "place", place)
					}
					order := numbers(r, "order", place, func(uint64) {
						where.Move(0, 1)
						gone[r.ID()] = !where.Owns(0)
					}, options...)
					err := epochOf(1, r, func() { order.Send(0) })
					has[r.ID()] = where.Owns(0)
					return err
				})
				require.Equal(t, [2]bool{true, false}, gone)
				require.Equal(t, [2]bool{false, true}, has)
				require.EqualValues(t, 77, state[1])
			})
		}
	}
}

// In a handler of a target over the directory, a key stays until the whole batch has been handled.
func TestMoveWaitsForTheBatch(t *testing.T) {
	var handled [2]int
	job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		where := empty(r, "where", distribution.Cyclic(2, 2))
		hit := numbers(r, "hit", where, func(uint64) {
			require.True(t, where.Owns(0), "a pebble was handled away from its key")
			if handled[r.ID()]++; r.ID() == 0 {
				where.Move(0, 1)
			}
		})
		return epochOf(0, r, func() {
			hit.SendAll([]uint64{0, 0, 0})
			require.False(t, where.Owns(0), "the key is still here")
		})
	})
	require.Equal(t, [2]int{3, 0}, handled)
}

// Moving keys send extra pebbles: a declared depth neither ends the epoch early nor forbids them.
func TestMovingKeysUnderADeclaredDepth(t *testing.T) {
	for _, ranks := range []int{2, 3, 7} {
		for range 20 {
			handled, ended := make([]int, ranks), ""
			job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				where := empty(r, "keys", distribution.Cyclic(8, ranks))
				hit := numbers(r, "hit", where, func(uint64) { handled[r.ID()]++ })
				err := epoch(r, func() {
					for i := range uint64(200) {
						hit.Send(i % 8)
						if key := i % 8; where.Owns(key) {
							where.Move(key, (r.ID()+1)%ranks)
						}
					}
				}, pebble.Depth(1))
				if r.ID() == 0 {
					ended = r.Termination()
				}
				return err
			})
			require.Equal(t, 200*ranks, sumOf(handled))
			require.Equal(t, "skr", ended)
		}
	}
}

// Pebbles for a key on its way keep ranks busy and frames in flight. The key must arrive all the same: past hops,
// without credit, beyond the budget, and with shared buffers. Otherwise the simulated job ends by its limit of turns.
func TestKeysArriveWhilePebblesLookForThem(t *testing.T) {
	for name, c := range map[string]struct {
		ranks, processes int
		config           pebble.Config
	}{
		"over hops":            {5, 1, pebble.Config{Topology: route.Ring, Coalesce: 64, Due: -1}},
		"one frame of credit":  {4, 2, pebble.Config{Coalesce: 2, Credits: 1, Due: -1}},
		"a budget of one byte": {3, 1, pebble.Config{Coalesce: 1, BufferBudget: 1, Due: -1}},
	} {
		for _, options := range [][]target.Option{nil, {target.Coded[uint64](plainCodec{})}} {
			t.Run(fmt.Sprintf("%s, coded %v", name, options != nil), func(t *testing.T) {
				world := sim.Config{Ranks: c.ranks, Processes: c.processes, TurnLimit: 1_000_000,
					Network: sim.Machines["flat"]}
				chases := func(r *pebble.Rank) error { return chase(r, options) }
				require.NoError(t, appstest.Simulate(t, world, c.config, chases))
			})
		}
	}
}

// chase moves keys all the time, by main functions and handlers, and checks that increments reach their counters.
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
	appstest.Epoch(r, func() {
		for i := range uint64(sends) {
			hit.Send(i%keys + (turns-1)*keys)
			move(i % keys)
		}
	})
	for key, n := range counters {
		if n > 0 && !place.Owns(uint64(key)) {
			return fmt.Errorf("rank %d counts for key %d, which is elsewhere", r.ID(), key)
		}
	}
	all, err := pebble.AllReduce(r, sumOf(counters[:]), pebble.Sum)
	if want := uint64(r.Size() * sends * turns); err == nil && all != want {
		return fmt.Errorf("%d pebbles were counted, not %d", all, want)
	}
	return err
}

// A handler moves more keys than it has credit for; its rank is busy until a pebble has found the last one.
func TestKeysLeaveWhenCreditComes(t *testing.T) {
	world, c := sim.Config{Ranks: 2, Processes: 2, TurnLimit: 100_000}, pebble.Config{Credits: 1, Coalesce: 64, Due: -1}
	require.NoError(t, appstest.Simulate(t, world, c, func(r *pebble.Rank) error {
		const keys = 8
		place, two, alone := empty(r, "place", distribution.Block(2*keys, 2)), distribution.Ranks(2), target.Coalesce(1)
		found := false
		tell := numbers(r, "tell", two, func(uint64) { found = true }, alone)
		hit := numbers(r, "hit", place, func(uint64) {
			tell.Send(0)
			tell.Flush()
		}, alone)
		var busy *target.Target[uint64]
		busy = numbers(r, "busy", two, func(v uint64) {
			if !found {
				busy.Send(v)
			}
		}, alone)
		order := numbers(r, "order", two, func(v uint64) {
			for key := range uint64(keys) {
				place.Move(key, 1)
			}
			hit.Send(keys - 1)
			hit.Flush()
			busy.Send(v)
		})
		return epochOf(1, r, func() { order.Send(0) })
	}))
}
