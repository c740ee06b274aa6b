package target_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// chain sends pebbles that each cause a chain, to keys all over the job, and counts those that this rank handles.
func chain(r *pebble.Rank, length, sends int, handled *int, options []target.Option,
	declared ...pebble.EpochOption) error {
	const keys = 97
	var links *target.Target[[2]uint64] // key, and pebbles still to come
	links = target.New(r, "links", distribution.Cyclic(keys, r.Size()),
		target.Key(func(v [2]uint64) uint64 { return v[0] }),
		target.Each(func(v [2]uint64) {
			*handled++
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
	return epoch(r, func() {
		for i := range sends {
			links.Send([2]uint64{uint64(i*13+r.ID()) % keys, uint64(length - 1 - i%length)})
		}
	}, declared...)
}

// A program within its declared depth runs as without one; a program that exceeds it ends with an error that names the
// handler, at any position of the long chain in the traffic.
func TestDepth(t *testing.T) {
	const longest, deepest, sends = 4, 4, 400
	everywhere(t, 2, longest*(deepest+1), func(t *testing.T, c pebble.Config, variant int) {
		length, depth := 1+variant%longest, variant/longest // 0: none is declared
		var declared []pebble.EpochOption
		if depth > 0 {
			declared = append(declared, pebble.Depth(depth))
		}
		handled := make([]int, c.Ranks)
		err := run(t, c, func(r *pebble.Rank) error {
			return chain(r, length, sends, &handled[r.ID()], nil, declared...)
		})
		if depth > 0 && length > depth {
			requireDeep(t, err, "links", depth)
			return
		}
		require.NoError(t, err)
		want := 0
		for i := range sends {
			want += c.Ranks * (length - i%length)
		}
		require.Equal(t, want, sumOf(handled))
	})
}

func requireDeep(t *testing.T, err error, name string, depth int) {
	t.Helper()
	var deep *pebble.DepthError
	require.ErrorAs(t, err, &deep)
	require.Equal(t, name, deep.Target)
	require.Equal(t, depth, deep.Depth)
}

// A chain whose pebbles all go to other ranks is counted too, from the frames, for any number of pebbles in a frame.
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
				return epoch(r, func() { there.Send(length - 1) }, pebble.Depth(depth))
			})
			if length > depth {
				requireDeep(t, err, "there", depth)
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// Pebbles that a reduction holds back keep their depth.
func TestDepthThroughACombiningCache(t *testing.T) {
	longer := reduce.Combine(func(a, b [2]uint64) [2]uint64 { return [2]uint64{a[0], max(a[1], b[1])} })
	for _, depth := range []int{2, 3} {
		err := run(t, pebble.Config{Ranks: 4, Cache: 8, Coalesce: 16}, func(r *pebble.Rank) error {
			return chain(r, 3, 300, new(int), []target.Option{target.Reduce(longer)}, pebble.Depth(depth))
		})
		if depth < 3 {
			requireDeep(t, err, "links", depth)
		} else {
			require.NoError(t, err)
		}
	}
}

// Invalid depths, and depths that differ by rank, are reported.
func TestDepthIsChecked(t *testing.T) {
	for want, depth := range map[string]func(rank int) int{
		"depth 0":   func(int) int { return 0 },
		"depth -1":  func(int) int { return -1 },
		"depth 256": func(int) int { return 256 },
		"must declare the same depth, and end an epoch by the same detector": func(rank int) int { return 1 + rank%2 },
	} {
		err := run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
			return epoch(r, func() {}, pebble.Depth(depth(r.ID())))
		})
		require.ErrorContains(t, err, want)
	}
}

// Without a declared depth, pebbles of handlers travel together, for any length of their chains.
func TestUndeclaredDepthsGatherInHandlers(t *testing.T) {
	var batches []int
	job(t, pebble.Config{Ranks: 1, Due: -1}, func(r *pebble.Rank) error {
		var to *target.Target[uint64]
		to = target.New(r, "to", distribution.Ranks(1), target.Keys(func(vs, keys []uint64) {
			batches = append(batches, len(vs))
			clear(keys)
		}), target.Each(func(v uint64) {
			if v > 0 {
				to.Send(v - 1)
			}
		}))
		return epoch(r, func() {
			to.Send(2)
			to.Flush()              // a chain of three, whose second is queued
			to.SendAll([]uint64{1}) // its second is gathered, and then the third of the other chain
		})
	})
	require.Contains(t, batches, 2)
}
