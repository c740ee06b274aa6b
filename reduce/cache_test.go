package reduce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/reduce"
)

func TestSizeRoundsUp(t *testing.T) {
	for size, want := range map[int]int{1: 2, 2: 2, 3: 4, 7: 8, 64: 64, 65: 128, 4096: 4096} {
		c := reduce.NewCache(reduce.Duplicates[uint64](), size)
		require.Equal(t, want, c.Size())
		require.Equal(t, 16, c.SlotSize())
		watched := 8 * min(want, max(64, want/16))
		require.Equal(t, 16*want+watched, c.Bytes())
		held := reduce.NewCache(reduce.Combine(func(a, b uint64) uint64 { return a + b }), size)
		require.Equal(t, 16*want+8*((want+63)/64)+watched, held.Bytes(), "a bit a slot tells Drain what is held")
	}
	require.Equal(t, 8, reduce.NewCache(reduce.First[pebble](), 64).SlotSize(), "First remembers keys alone")
}

func TestKinds(t *testing.T) {
	var names []string
	for _, kind := range kinds() {
		names = append(names, kind.String())
		require.Equal(t, kind.String() == "combine" || kind.String() == "concatenate", kind.WriteBack())
	}
	require.Equal(t, []string{"duplicates", "first", "best", "combine", "concatenate"}, names)
}

// A slot that was never filled must not be taken for one that holds key 0.
func TestZeroPebbleTravels(t *testing.T) {
	for _, kind := range kinds() {
		for _, size := range sizes {
			c := reduce.NewCache(kind, size)
			n := c.Filter([]pebble{{}}, []uint64{0})
			require.Equal(t, 1, n+c.Held(), "%v of %d", kind, size)
			require.Zero(t, c.Merged())
		}
	}
}

// Keys that differ only in their highest or lowest bits must not share a slot.
func TestStridedKeysSpread(t *testing.T) {
	for shift := range 58 {
		c := reduce.NewCache(reduce.Combine(add), 256)
		vs, keys := make([]pebble, 64), make([]uint64, 64)
		for i := range keys {
			keys[i] = uint64(i) << shift
		}
		c.Filter(vs, keys)
		require.Greater(t, c.Held(), 40, "keys of stride 2^%d", shift)
	}
}

// Cleared pebbles never come back, for any number of Clears: the number of marks is limited.
func TestClearForgets(t *testing.T) {
	for _, kind := range kinds()[:3] {
		for _, size := range []int{2, 4, 8, 64, 1024} {
			c := reduce.NewCache(kind, size)
			for clears := range min(2*size, 200) {
				for key := range uint64(size) {
					_, _, travels := c.FilterOne(pebble{key, 1}, key)
					require.True(t, travels, "%v of %d", kind, size)
				}
				_, _, again := c.FilterOne(pebble{0, 1}, 0)
				require.False(t, again, "it remembers until it is cleared")
				for range clears + 1 {
					c.Clear()
				}
			}
		}
	}
}

func TestDrainGoesOnWhereItStopped(t *testing.T) {
	c := reduce.NewCache(reduce.Combine(add), 4096)
	for key := range uint64(500) {
		c.FilterOne(pebble{key, 1}, key)
	}
	vs, keys := make([]pebble, 1), make([]uint64, 1)
	var out int
	for round := 0; c.Held() > 0; round++ {
		out += c.Drain(vs, keys)
		if round < 50 { // pebbles that come in after the drain are not left behind
			if _, _, ok := c.FilterOne(pebble{keys[0], 1}, keys[0]); ok {
				out++
			}
		}
	}
	require.Equal(t, 550, out)
	require.Zero(t, c.Merged())
	require.Zero(t, c.Drain(nil, nil))
}

func TestNothingIsAllocated(t *testing.T) {
	rng := seeded(t)
	for _, kind := range kinds() {
		c := reduce.NewCache(kind, 64)
		in := stream(rng, 256)
		inKeys := keysOf(in)
		vs, keys := make([]pebble, 256), make([]uint64, 256)
		allocated := testing.AllocsPerRun(50, func() {
			copy(vs, in)
			copy(keys, inKeys)
			c.Filter(vs, keys)
			c.FilterOne(in[0], in[0].key)
			worth(c, keys)
			for c.Held() > 0 {
				c.Drain(vs[:10], keys[:10])
			}
			c.Clear()
		})
		require.Zero(t, allocated, kind.String())
	}
}

func TestCallerBugsPanic(t *testing.T) {
	require.PanicsWithValue(t, "reduce: cache of the zero Kind; use Duplicates, First, Best, Combine or Concatenate",
		func() { reduce.NewCache(reduce.Kind[int]{}, 1) })
	for _, size := range []int{0, -1, 1<<30 + 1} {
		require.Panics(t, func() { reduce.NewCache(reduce.First[int](), size) })
	}
	require.Panics(t, func() { reduce.Best[int](nil) })
	require.Panics(t, func() { reduce.Combine[int](nil) })
	require.Panics(t, func() { reduce.Concatenate[int](nil) })
	c := reduce.NewCache(reduce.Combine(add), 8)
	require.Panics(t, func() { c.Filter(make([]pebble, 2), make([]uint64, 1)) }, "too few keys")

	c = reduce.NewCache(reduce.Combine(add), 8)
	c.FilterOne(pebble{1, 1}, 1)
	require.PanicsWithValue(t, "reduce: clear of a cache that holds 1 pebbles; drain it first", c.Clear)
}

func TestCallingBackPanics(t *testing.T) {
	for name, use := range map[string]func(c *reduce.Cache[int]){
		"filter": func(c *reduce.Cache[int]) { c.Filter([]int{1}, []uint64{1}) },
		"one":    func(c *reduce.Cache[int]) { c.FilterOne(1, 1) },
		"drain":  func(c *reduce.Cache[int]) { c.Drain(make([]int, 1), make([]uint64, 1)) },
	} {
		var c *reduce.Cache[int]
		c = reduce.NewCache(reduce.Combine(func(a, b int) int { use(c); return a + b }), 8)
		c.FilterOne(1, 1)
		require.Panics(t, func() { c.FilterOne(2, 1) }, name)
	}
}

// Pebbles need not hold their key: equal ones to different keys both travel.
func TestDuplicatesComparesKeys(t *testing.T) {
	c := reduce.NewCache(reduce.Duplicates[int](), 2)
	require.Equal(t, 4, c.Filter([]int{5, 5, 5, 5, 5}, []uint64{0, 1, 2, 3, 3}))
}
