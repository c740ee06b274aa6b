package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// chain sends pebbles that each cause a chain of the given length, to keys all over the job, and returns how many were
// handled on this rank.
func chain(r *pebble.Rank, length, sends int, options []target.Option, epoch ...pebble.EpochOption) (handled int,
	err error) {
	const keys = 97
	var links *target.Target[[2]uint64] // key, and pebbles still to come
	links = target.New(r, "links", distribution.Cyclic(keys, r.Size()),
		target.Key(func(v [2]uint64) uint64 { return v[0] }),
		target.Each(func(v [2]uint64) {
			handled++
			if v[1] == 0 {
				return
			}
			next := [2]uint64{(v[0]*31 + 7) % keys, v[1] - 1}
			if v[0]%2 == 0 {
				links.Send(next)
			} else {
				links.SendAll([][2]uint64{next})
			}
		}), options...)
	err = r.Epoch(func() error {
		for i := range sends {
			links.Send([2]uint64{uint64(i*13+r.ID()) % keys, uint64(length - 1 - i%length)})
		}
		return nil
	}, epoch...)
	return handled, err
}

// A program that keeps its declared depth runs as without; one that exceeds it ends with an error that names the
// handler, wherever in the traffic the long chain is.
func TestDepth(t *testing.T) {
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, ranks := range []int{1, 2, 5, 8} {
			for length := 1; length <= 4; length++ {
				for depth := 0; depth <= 4; depth++ {
					name := fmt.Sprintf("%s, %d ranks, length %d, depth %d", topology(ranks).Name(), ranks, length,
						depth)
					t.Run(name, func(t *testing.T) {
						var epoch []pebble.EpochOption
						if depth > 0 {
							epoch = append(epoch, pebble.Depth(depth))
						}
						const sends = 400
						coalesce := []int{32, 1}[(ranks+length+depth)%2]
						handled := make([]int, ranks)
						err := run(t, pebble.Config{Ranks: ranks, Topology: topology, Coalesce: coalesce},
							func(r *pebble.Rank) (err error) {
								handled[r.ID()], err = chain(r, length, sends, nil, epoch...)
								return err
							})
						if depth > 0 && length > depth {
							var deep *pebble.DepthError
							require.ErrorAs(t, err, &deep)
							require.Equal(t, "links", deep.Target)
							require.Equal(t, depth, deep.Depth)
							return
						}
						require.NoError(t, err)
						sum, want := 0, 0
						for i := range ranks {
							sum += handled[i]
						}
						for i := range sends {
							want += ranks * (length - i%length)
						}
						require.Equal(t, want, sum)
					})
				}
			}
		}
	}
}

// A chain whose every pebble goes to another rank is counted too, by what frames say, however many share one.
func TestDepthAcrossRanks(t *testing.T) {
	for _, coalesce := range []int{1, 32} {
		for depth, length := range map[int]int{3: 3, 4: 5} {
			err := run(t, pebble.Config{Ranks: 2, Coalesce: coalesce}, func(r *pebble.Rank) error {
				var there *target.Target[int] // pebbles still to come
				there = target.New(r, "there", distribution.Ranks(2),
					target.Key(func(left int) uint64 { return uint64(left % 2) }),
					target.Each(func(left int) {
						if left > 0 {
							there.Send(left - 1)
						}
					}))
				return r.Epoch(func() error { there.Send(length - 1); return nil }, pebble.Depth(depth))
			})
			if length <= depth {
				require.NoError(t, err)
				continue
			}
			var deep *pebble.DepthError
			require.ErrorAs(t, err, &deep)
			require.Equal(t, depth, deep.Depth)
		}
	}
}

// Pebbles that a reduction holds back keep their depth.
func TestDepthThroughACombiningCache(t *testing.T) {
	for _, depth := range []int{2, 3} {
		err := run(t, pebble.Config{Ranks: 4, Cache: 8, Coalesce: 16}, func(r *pebble.Rank) error {
			_, err := chain(r, 3, 300, []target.Option{
				target.Reduce(reduce.Combine(func(a, b [2]uint64) [2]uint64 {
					return [2]uint64{a[0], max(a[1],
						b[1])}
				})),
			}, pebble.Depth(depth))
			return err
		})
		if depth == 3 {
			require.NoError(t, err)
			continue
		}
		var deep *pebble.DepthError
		require.ErrorAs(t, err, &deep)
	}
}

func TestDepthIsChecked(t *testing.T) {
	for _, depth := range []int{0, -1, 256} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			return r.Epoch(func() error { return nil }, pebble.Depth(depth))
		})
		require.ErrorContains(t, err, fmt.Sprintf("depth %d", depth))
	}
}

// Ranks that declare different depths are told so.
func TestDepthMustBeEqual(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		return r.Epoch(func() error { return nil }, pebble.Depth(1+r.ID()%2))
	})
	require.ErrorContains(t, err, "must declare the same depth, and end an epoch by the same detector")
}

// Where no depth is declared, what handlers send goes on together, however long the chains are that it belongs to.
func TestUndeclaredDepthsGatherInHandlers(t *testing.T) {
	var batches []int
	require.NoError(t, run(t, pebble.Config{Ranks: 1, Due: -1}, func(r *pebble.Rank) error {
		var to *target.Target[uint64]
		to = target.New(r, "to", distribution.Ranks(1), target.Keys(func(vs, keys []uint64) {
			batches = append(batches, len(vs))
			clear(keys)
		}), target.Each(func(v uint64) {
			if v > 0 {
				to.Send(v - 1)
			}
		}))
		return r.Epoch(func() error {
			to.Send(2)
			to.Flush()              // a chain of three, whose second is queued
			to.SendAll([]uint64{1}) // whose second is gathered, and then the third of the other chain
			return nil
		})
	}))
	require.Contains(t, batches, 2)
}
