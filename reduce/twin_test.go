package reduce_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/reduce"
)

// pebble is a test pebble: two of the same key may differ in value.
type pebble struct {
	key   uint64
	value uint32
}

var sizes = []int{1, 2, 7, 64, 100, 4096}

func seeded(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(seeds.Of(t), 1)) }

// stream draws n pebbles; few keys make many meetings, and wide ones use all 64 bits.
func stream(rng *rand.Rand, n int) []pebble {
	space := uint64(1) << rng.IntN(14)
	shift := rng.IntN(64)
	ps := make([]pebble, n)
	for i := range ps {
		ps[i] = pebble{key: rng.Uint64N(space) << shift, value: rng.Uint32N(8)}
	}
	return ps
}

func keysOf(ps []pebble) []uint64 {
	keys := make([]uint64, len(ps))
	for i, p := range ps {
		keys[i] = p.key
	}
	return keys
}

// through is Filter, or a caller that asks Advise, follows the advice mostly, or never asks.
func through(c *reduce.Cache[pebble], rng *rand.Rand, vs []pebble, keys []uint64) int {
	if rng.IntN(4) > 0 && !worth(c, keys[:len(vs)]) && rng.IntN(8) > 0 {
		return len(vs)
	}
	return c.Filter(vs, keys)
}

// pass sends in through the cache in batches of random length, and returns all that comes out, with a whole drain at
// the end and some parts of one before.
func pass(t *testing.T, rng *rand.Rand, c *reduce.Cache[pebble], in []pebble) (out []pebble) {
	vs, keys := make([]pebble, 300), make([]uint64, 300)
	take := func(n int) {
		for i, p := range vs[:n] {
			if p.key != keys[i] {
				require.Failf(t, "another pebble's key", "%v left with %d", p, keys[i])
			}
		}
		out = append(out, vs[:n]...)
	}
	for rest := in; len(rest) > 0; {
		n := min(rng.IntN(300), len(rest))
		copy(vs, rest[:n])
		copy(keys, keysOf(rest[:n]))
		rest = rest[n:]
		take(through(c, rng, vs[:n], keys[:n]))
		if rng.IntN(4) == 0 {
			room := rng.IntN(5)
			n := c.Drain(vs[:room], keys[:room])
			require.LessOrEqual(t, n, room)
			take(n)
		}
	}
	for c.Held() > 0 {
		n := c.Drain(vs[:7], keys[:7])
		require.Positive(t, n)
		take(n)
	}
	require.Zero(t, c.Drain(vs, keys))
	require.Equal(t, uint64(len(in)-len(out)), c.Merged())
	return out
}

func count[T comparable](ts []T) map[T]int {
	counts := map[T]int{}
	for _, t := range ts {
		counts[t]++
	}
	return counts
}

// requireWithin fails if a pebble is more often in after than in before.
func requireWithin(t *testing.T, after, before map[pebble]int) {
	for p, n := range after {
		if n > before[p] {
			require.Failf(t, "pebble invented", "%v: %d in, %d out", p, before[p], n)
		}
	}
}

func higher(a, b pebble) bool { return a.value > b.value }

// A handler of the kind gets the same result from the output of a cache as from its input. Kinds that don't merge
// pebbles neither invent nor repeat any.
func TestKindsAgainstTwins(t *testing.T) {
	for _, kind := range kinds() {
		for _, size := range sizes {
			t.Run(fmt.Sprint(kind, " ", size), func(t *testing.T) {
				rng := seeded(t)
				for range 60 {
					in := stream(rng, rng.IntN(3000))
					out := pass(t, rng, reduce.NewCache(kind, size), in)
					require.Equal(t, twins[kind.String()](in), twins[kind.String()](out))
					if !kind.WriteBack() {
						requireWithin(t, count(out), count(in))
					}
				}
			})
		}
	}
}

// twins are the results of receivers, by kind: the set of values of each key, the first one, each improvement in order,
// and the sum.
var twins = map[string]func(ps []pebble) map[uint64][]uint32{
	"duplicates": byKey(func(kept []uint32, v uint32) []uint32 {
		if i, ok := slices.BinarySearch(kept, v); !ok {
			kept = slices.Insert(kept, i, v)
		}
		return kept
	}),
	"first": byKey(func(kept []uint32, v uint32) []uint32 { return append(kept, v)[:1] }),
	"best": byKey(func(kept []uint32, v uint32) []uint32 {
		if len(kept) == 0 || v > kept[len(kept)-1] {
			kept = append(kept, v)
		}
		return kept
	}),
	"combine": byKey(sum), "concatenate": byKey(sum),
}

func sum(kept []uint32, v uint32) []uint32 {
	if len(kept) == 0 {
		return []uint32{v}
	}
	return []uint32{kept[0] + v}
}

// byKey is a receiver that keeps values for each key.
func byKey(keep func(kept []uint32, v uint32) []uint32) func(ps []pebble) map[uint64][]uint32 {
	return func(ps []pebble) map[uint64][]uint32 {
		all := map[uint64][]uint32{}
		for _, p := range ps {
			all[p.key] = keep(all[p.key], p.value)
		}
		return all
	}
}

func add(a, b pebble) pebble { return pebble{a.key, a.value + b.value} }

// addSome joins pebbles up to a value of 9.
func addSome(held, next pebble) (pebble, bool) {
	return add(held, next), held.value+next.value <= 9
}

// kinds are all kinds, for the tests that hold for each.
func kinds() []reduce.Kind[pebble] {
	return []reduce.Kind[pebble]{
		reduce.Duplicates[pebble](), reduce.First[pebble](), reduce.Best(higher), reduce.Combine(add),
		reduce.Concatenate(addSome),
	}
}

func TestFilterOneMeansFilter(t *testing.T) {
	rng := seeded(t)
	for _, kind := range kinds() {
		for _, size := range sizes {
			in := stream(rng, 2000)
			batch, single := reduce.NewCache(kind, size), reduce.NewCache(kind, size)
			var out []pebble
			for _, p := range in {
				if v, key, ok := single.FilterOne(p, p.key); ok {
					require.Equal(t, v.key, key)
					out = append(out, v)
				}
			}
			n := batch.Filter(in, keysOf(in))
			require.Equal(t, in[:n], append([]pebble{}, out...), "%v of %d", kind, size)
			require.Equal(t, batch.Merged(), single.Merged())
			require.Equal(t, batch.Held(), single.Held())
		}
	}
}

// FuzzFilter reads a stream from bytes, each a pebble of one of 16 keys and values, and passes it through every kind,
// with and without asking Worth. A handler of the kind gets the same result from the output as from the input.
func FuzzFilter(f *testing.F) {
	f.Add([]byte("active pebbles"), uint16(1))
	f.Add([]byte{0, 0, 1, 1, 16, 16, 17}, uint16(7))
	f.Add(bytes.Repeat([]byte{0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176}, 300), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		in := make([]pebble, len(data))
		for i, b := range data {
			in[i] = pebble{key: uint64(b>>4) * 0x0123456789abcdef, value: uint32(b & 15)}
		}
		for _, kind := range kinds() {
			c := reduce.NewCache(kind, int(size)+1)
			out := pass(t, rand.New(rand.NewPCG(uint64(size), 0)), c, in)
			handle := twins[kind.String()]
			require.Equal(t, handle(in), handle(out), kind.String())
		}
	})
}
