package target_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// text is a codec for strings, as a user would write it.
type text struct{}

func (text) Append(dst []byte, s string) ([]byte, error) { return append(dst, s...), nil }
func (text) Decode(src []byte) (string, error)           { return string(src), nil }

// Counters wander between ranks while pebbles that increment them are in flight. Every increment must find its counter,
// however the pebbles travel.
func TestMovingKeysLoseNoPebble(t *testing.T) {
	merge := target.Reduce(reduce.Combine(func(a, b amount) amount { return amount{a.key, a.n + b.n} }))
	for name, options := range map[string][]target.Option{
		"plain":             nil,
		"reduced":           {merge, target.Cache(8)},
		"coded":             {target.Coded[amount](amounts{})},
		"coded and reduced": {target.Coded[amount](amounts{}), merge, target.Cache(8)},
	} {
		for _, ranks := range []int{1, 2, 3, 5, 8} {
			for _, factor := range []int{1, 16, 1024} {
				t.Run(fmt.Sprintf("%s, %d ranks, %d", name, ranks, factor), func(t *testing.T) {
					total := make([]uint64, ranks) // by rank: increments that are there at the end
					c := pebble.Config{Ranks: ranks, Coalesce: factor, Topology: route.Hypercube, Due: 1}
					require.NoError(t, run(t, c, func(r *pebble.Rank) (err error) {
						total[r.ID()], err = wander(r, options)
						return err
					}))
					sum := uint64(0)
					for _, n := range total {
						sum += n
					}
					require.EqualValues(t, wanderings*ranks, sum)
				})
			}
		}
	}
}

const wanderings = 300 // increments that a rank sends

// wander sends increments to counters that move all the time, and returns the sum of those that are here at the end.
func wander(r *pebble.Rank, options []target.Option) (sum uint64, err error) {
	const keys = 40
	counters := map[uint64]uint64{}
	rng := rand.New(rand.NewPCG(7, uint64(r.ID())))
	where := target.NewDirectory(r, "counters", distribution.Block(keys, r.Size()),
		func(key uint64) uint64 { n := counters[key]; delete(counters, key); return n },
		func(key, n uint64) { counters[key] = n })
	add := target.New(r, "add", where, target.Key(func(a amount) uint64 { return a.key }),
		target.Each(func(a amount) {
			if !where.Owns(a.key) {
				panic("a pebble was handled away from its key")
			}
			counters[a.key] += a.n
			if rng.IntN(3) == 0 {
				where.Move(a.key, rng.IntN(r.Size()))
			}
		}), options...)
	err = r.Epoch(func() error {
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
		return nil
	})
	for _, n := range counters {
		sum += n
	}
	return sum, err
}

// Keys that the main function moves share frames, as pebbles of as many bytes do. Nothing is due by the clock here, so
// that moves leave after every 1,024 pieces of work, when their frame is full, and when the rank is idle.
func TestMovesShareFrames(t *testing.T) {
	const each = 10_000 // keys of a rank
	require.NoError(t, run(t, pebble.Config{Ranks: 2, Due: -1, Period: -1}, func(r *pebble.Rank) error {
		arrived := 0
		where := target.NewDirectory(r, "keys", distribution.Block(2*each, 2),
			func(key uint64) [2]uint64 { return [2]uint64{key, 1} },
			func(key uint64, state [2]uint64) {
				if state[0] == key {
					arrived++
				}
			})
		before := r.Counters()
		err := r.Epoch(func() error {
			for key := range uint64(each) {
				where.Move(each*uint64(r.ID())+key, 1-r.ID())
			}
			return nil
		})
		if err != nil {
			return err
		}
		if frames := r.Counters().Since(before).FramesSent; arrived != each || frames > each/64 {
			return fmt.Errorf("%d of %d keys arrived, in %d frames", arrived, each, frames)
		}
		return nil
	}))
}

func TestMovingStateByCodec(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		names := map[uint64]string{}
		where := target.NewDirectory(r, "names", distribution.Block(3, 3),
			func(key uint64) string { s := names[key]; delete(names, key); return s },
			func(key uint64, s string) { names[key] = s }, target.Coded[string](text{}))
		names[uint64(r.ID())] = fmt.Sprint("name of ", r.ID())
		if err := r.Epoch(func() error {
			where.Move(uint64(r.ID()), (r.ID()+1)%3)
			return nil
		}); err != nil {
			return err
		}
		before := uint64(r.ID()+2) % 3
		if want := map[uint64]string{before: fmt.Sprint("name of ", before)}; fmt.Sprint(names) != fmt.Sprint(want) {
			return fmt.Errorf("have %v, want %v", names, want)
		}
		if !where.Owns(before) || where.Owns(uint64(r.ID())) {
			return fmt.Errorf("ownership did not move")
		}
		return nil
	})
	require.NoError(t, err)
}

// A key moves at once when the handler that moves it is of a target without a directory, or over another one. Nothing
// else happens on its rank in that epoch.
func TestMoveFromAnotherTargetsHandler(t *testing.T) {
	for name, options := range map[string][]target.Option{"plain": nil, "coded": {target.Coded[uint64](plainCodec{})}} {
		for _, moving := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, keys that move: %v", name, moving), func(t *testing.T) {
				var gone, has [2]bool
				state := [2]uint64{77, 0}
				require.NoError(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
					where := target.NewDirectory(r, "where", distribution.Cyclic(2, 2),
						func(uint64) uint64 { return state[r.ID()] }, func(_, n uint64) { state[r.ID()] = n })
					target.New(r, "work", where, target.Key(identity), target.Each(func(uint64) {}))
					var place distribution.Map = distribution.Cyclic(2, 2)
					if moving {
						place = target.NewDirectory(r, "place", place, func(uint64) uint64 { return 0 }, func(uint64,
							uint64) {
						})
					}
					order := target.New(r, "order", place, target.Key(identity), target.Each(func(uint64) {
						where.Move(0, 1)
						gone[r.ID()] = !where.Owns(0)
					}), options...)
					err := r.Epoch(func() error {
						if r.ID() == 1 {
							order.Send(0)
						}
						return nil
					})
					has[r.ID()] = where.Owns(0)
					return err
				}))
				require.Equal(t, [2]bool{true, false}, gone)
				require.Equal(t, [2]bool{false, true}, has)
				require.EqualValues(t, 77, state[1])
			})
		}
	}
}

// In a handler of a target over the directory a key stays until the batch has been handled, which may have more pebbles
// to it.
func TestMoveWaitsForTheBatch(t *testing.T) {
	require.NoError(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		where := target.NewDirectory(r, "where", distribution.Cyclic(2, 2), func(uint64) uint64 { return 0 },
			func(uint64, uint64) {})
		handled := 0
		hit := target.New(r, "hit", where, target.Key(identity), target.Each(func(uint64) {
			if !where.Owns(0) {
				panic("a pebble was handled away from its key")
			}
			if handled++; r.ID() == 0 {
				where.Move(0, 1)
			}
		}))
		if err := r.Epoch(func() error {
			if r.ID() == 0 {
				hit.SendAll([]uint64{0, 0, 0})
				if where.Owns(0) {
					panic("the key is still here")
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if want := 3 * (1 - r.ID()); handled != want {
			return fmt.Errorf("handled %d pebbles, want %d", handled, want)
		}
		return nil
	}))
}

func TestMoveOutsideOfEpochsPanics(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		where := target.NewDirectory(r, "where", distribution.Cyclic(2, 1), func(uint64) uint64 { return 0 },
			func(uint64, uint64) {})
		where.Move(0, 0)
		return nil
	})
	require.ErrorContains(t, err, "sent outside of an epoch")
}

func TestMoveOfForeignKeyPanics(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		where := target.NewDirectory(r, "keys", distribution.Block(2, 2),
			func(uint64) uint64 { return 0 }, func(uint64, uint64) {})
		return r.Epoch(func() error {
			if r.ID() == 1 {
				where.Move(0, 1)
			}
			return nil
		})
	})
	var panicked *pebble.PanicError
	require.ErrorAs(t, err, &panicked)
	require.ErrorContains(t, err, "only a key's owner can move it")
}

// Moving keys send pebbles of their own, so a depth that the program declares neither ends its epoch early nor forbids
// them.
func TestMovingKeysUnderADeclaredDepth(t *testing.T) {
	for _, ranks := range []int{2, 3, 7} {
		for range 20 {
			got := make([]int, ranks)
			var ended [8]string
			require.NoError(t, run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				where := target.NewDirectory(r, "keys", distribution.Cyclic(8, ranks),
					func(uint64) uint64 { return 0 }, func(uint64, uint64) {})
				hit := target.New(r, "hit", where, target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(uint64) { got[r.ID()]++ }))
				err := r.Epoch(func() error {
					for i := range uint64(200) {
						hit.Send(i % 8)
						if key := i % 8; where.Owns(key) {
							where.Move(key, (r.ID()+1)%ranks)
						}
					}
					return nil
				}, pebble.Depth(1))
				ended[r.ID()] = r.Termination()
				return err
			}))
			sum := 0
			for _, n := range got {
				sum += n
			}
			require.Equal(t, 200*ranks, sum)
			require.Equal(t, "skr", ended[0])
		}
	}
}
