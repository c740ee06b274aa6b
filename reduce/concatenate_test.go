package reduce_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/reduce"
)

// load is a fixed-size pebble of up to 3 items.
type load struct {
	key   uint64
	n     uint8
	items [3]uint32
}

func packed(held, next load) (load, bool) {
	if int(held.n)+int(next.n) > len(held.items) {
		return load{key: 1 << 63}, false // the joined pebble must be ignored
	}
	held.n += uint8(copy(held.items[held.n:], next.items[:next.n]))
	return held, true
}

// parcel is a pebble of up to 5 items in a slice.
type parcel struct {
	key   uint64
	items []uint32
}

func strung(held, next parcel) (parcel, bool) {
	if len(held.items)+len(next.items) > 5 {
		return parcel{}, false
	}
	return parcel{held.key, append(held.items, next.items...)}, true
}

// item is one item with its key; each is sent once.
type item struct {
	key   uint64
	value uint32
}

// Every item comes out once with its key, in loads that are joined where they fit, and a joined pebble counts as one
// merged.
func TestConcatenateAgainstTwin(t *testing.T) {
	concatenateTwin(t, packed,
		func(p item) load { return load{p.key, 1, [3]uint32{p.value}} },
		func(l load) (uint64, []uint32) { return l.key, l.items[:l.n] })
	concatenateTwin(t, strung,
		func(p item) parcel { return parcel{p.key, []uint32{p.value}} },
		func(p parcel) (uint64, []uint32) { return p.key, p.items })
}

func concatenateTwin[V any](t *testing.T, join func(held, next V) (V, bool),
	wrap func(item) V, unwrap func(V) (uint64, []uint32)) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%T/%d", *new(V), size), func(t *testing.T) {
			rng := seeded(t)
			for range 20 {
				c := reduce.NewCache(reduce.Concatenate(join), size)
				want, got := map[item]int{}, map[item]int{}
				vs, keys := make([]V, 300), make([]uint64, 300)
				out, same := 0, true
				take := func(n int) {
					out += n
					for i, v := range vs[:n] {
						key, values := unwrap(v)
						same = same && key == keys[i] && len(values) > 0
						for _, value := range values {
							got[item{key, value}]++
						}
					}
				}
				space := uint64(1) << rng.IntN(12)
				sent := rng.IntN(2000)
				for at := 0; at < sent; {
					n := min(rng.IntN(300), sent-at)
					for i := range n {
						p := item{rng.Uint64N(space), uint32(at + i)}
						want[p]++
						vs[i], keys[i] = wrap(p), p.key
					}
					at += n
					if rng.IntN(4) == 0 || worth(c, keys[:n]) {
						n = c.Filter(vs[:n], keys[:n])
					}
					take(n)
					room := rng.IntN(3)
					take(c.Drain(vs[:room], keys[:room]))
				}
				for c.Held() > 0 {
					take(c.Drain(vs[:7], keys[:7]))
				}
				require.True(t, same, "with their keys")
				require.Equal(t, want, got)
				require.Equal(t, uint64(sent-out), c.Merged())
			}
		})
	}
}

// A pebble that doesn't fit pushes the held one out, and takes its place.
func TestConcatenateLetsFullOnesGo(t *testing.T) {
	c := reduce.NewFixedCache(reduce.Concatenate(packed), 64)
	vs, keys := make([]load, 8), make([]uint64, 8)
	for i := range vs {
		vs[i], keys[i] = load{key: 5, n: 1, items: [3]uint32{uint32(i)}}, 5
	}
	n := c.Filter(vs, keys)
	require.Equal(t, []load{{5, 3, [3]uint32{0, 1, 2}}, {5, 3, [3]uint32{3, 4, 5}}}, vs[:n])
	require.Equal(t, []uint64{5, 5}, keys[:n])
	require.Equal(t, 1, c.Held())
	require.EqualValues(t, 5, c.Merged())
	require.Equal(t, 1, c.Drain(vs, keys))
	require.Equal(t, load{5, 2, [3]uint32{6, 7}}, vs[0])
}

// A join that fits nothing makes the cache a detour of one pebble per slot, and Worth leaves the cache out.
func TestConcatenateOfNothingFits(t *testing.T) {
	never := func(held, next pebble) (pebble, bool) { return held, false }
	c := reduce.NewCache(reduce.Concatenate(never), 64)
	rng := rand.New(rand.NewPCG(1, 1))
	through := drive(t, c, 200_000, 0, func() pebble { return pebble{rng.Uint64N(8), 1} })
	require.Zero(t, c.Merged())
	require.LessOrEqual(t, c.Held(), 8)
	require.Less(t, through, 200_000/20)
}

// A cache that keeps clones returns its input, though the memory of each pebble is reused at once.
func TestKeepingHoldsClones(t *testing.T) {
	type words struct {
		text []byte
		n    int
	}
	kind := reduce.Concatenate(func(held, next words) (words, bool) {
		return words{held.text, held.n + next.n}, string(held.text) == string(next.text)
	}).Keeping(func(w words) words { return words{bytes.Clone(w.text), w.n} })
	require.Equal(t, "concatenate", kind.String())
	require.True(t, kind.WriteBack())

	cache, got, want := reduce.NewFixedCache(kind, 2), map[string]int{}, map[string]int{}
	take := func(w words) { got[string(w.text)] += w.n }
	buffer := make([]byte, 1)
	for i := range 1000 {
		buffer[0] = 'a' + byte(i*i%7)
		want[string(buffer)]++
		if out, _, ok := cache.FilterOne(words{buffer, 1}, uint64(i*i%7%3)); ok { // keys that share a hash, and slots
			take(out)
		}
		buffer[0] = 'x'
	}
	var vs [3]words
	var keys [3]uint64
	for n := cache.Drain(vs[:], keys[:]); n > 0; n = cache.Drain(vs[:], keys[:]) {
		for _, w := range vs[:n] {
			take(w)
		}
	}
	require.Equal(t, want, got)
	require.NotZero(t, cache.Merged())
}

func TestKeepingNeedsAKindThatHolds(t *testing.T) {
	clone := func(i int) int { return i }
	require.Panics(t, func() { reduce.First[int]().Keeping(clone) })
	require.Panics(t, func() { reduce.Combine(func(a, b int) int { return a + b }).Keeping(nil) })
}
