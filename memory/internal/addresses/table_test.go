package addresses

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table agrees with a map of limited size, after any sets and removals.
func TestTableIsLikeAMap(t *testing.T) {
	for _, room := range []int{1, 2, 4, 100, Max} {
		random := rand.New(rand.NewPCG(uint64(room), 1))
		table, twin := NewTable[int](room), map[uint64]*int{}
		for n := range 20 * room {
			key := 1 + random.Uint64N(uint64(3*room))
			v := &n
			if random.IntN(3) == 0 {
				v = nil
			}
			fits := v == nil || twin[key] != nil || len(twin) < room
			require.Equal(t, fits, table.Set(key, v), "key %d of %d, room for %d", key, len(twin), room)
			switch {
			case v == nil:
				delete(twin, key)
			case fits:
				twin[key] = v
			}
			probe := 1 + random.Uint64N(uint64(3*room))
			require.Same(t, twin[probe], table.Get(probe))
		}
		for key := range uint64(3*room + 2) {
			require.Same(t, twin[key], table.Get(key))
		}
	}
}

// Readers see each value whole, and the last one in the end, while a writer changes and replaces maps.
func TestReadersBesideAWriter(t *testing.T) {
	const room, changes, readers = 10, 20_000, 4
	type pair struct{ key, n uint64 }
	table := NewTable[pair](room)
	var done atomic.Bool
	var wrong atomic.Uint64
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, 2))
			for last := [64]uint64{}; !done.Load(); {
				key := random.Uint64N(64)
				if v := table.Get(key); v != nil {
					if v.key != key || v.n < last[key] {
						wrong.Add(1)
					}
					last[key] = v.n
				}
			}
		})
	}
	live := []uint64{}
	for n := range uint64(changes) {
		if len(live) == room {
			table.Set(live[0], nil)
			live = live[1:]
		}
		key := n % 64
		table.Set(key, &pair{key, n})
		live = append(live, key)
	}
	done.Store(true)
	all.Wait()
	require.Zero(t, wrong.Load())
	for _, key := range live {
		require.Equal(t, key, table.Get(key).key)
	}
}

// A cache keeps the most recent entries, and drops those that it should.
func TestCacheForgetsTheOldest(t *testing.T) {
	c := NewCache[int](3)
	for n := range 5 {
		c.Add(uint64(n+1), &n)
		c.Add(uint64(n+1), new(int)) // it has a value
	}
	require.Nil(t, c.Get(2))
	for n := range 3 {
		require.Equal(t, n+2, *c.Get(uint64(n + 3)))
	}
	c.Drop(func(key uint64) bool { return key == 4 })
	require.Nil(t, c.Get(4))
	c.Add(9, new(int)) // in the room of 4
	for _, key := range []uint64{3, 5, 9} {
		require.NotNil(t, c.Get(key), "%d is forgotten, and there was room", key)
	}
	c.Add(4, new(int)) // as young as its last arrival: in the room of 3, the oldest
	require.Nil(t, c.Get(3))
	c.Add(1, new(int))
	require.Nil(t, c.Get(5))
	for _, key := range []uint64{9, 4, 1} {
		require.NotNil(t, c.Get(key))
	}
}

// The hit rate of uniform random keys is the share of them that has room.
func TestUniformKeysHitByShare(t *testing.T) {
	const entries, keys, draws = 100, 400, 200_000
	c, random, hits := NewCache[int](entries), rand.New(rand.NewPCG(3, 4)), 0
	for range draws {
		key := 1 + random.Uint64N(keys)
		if c.Get(key) != nil {
			hits++
		}
		c.Add(key, new(int))
	}
	require.InDelta(t, float64(entries)/keys, float64(hits)/draws, 0.01)
}

func TestTooManyEntries(t *testing.T) {
	require.Panics(t, func() { NewTable[int](1001) })
	require.Panics(t, func() { NewCache[int](0) })
}

// A map is replaced before it would grow, for any number of keys.
func TestMapsDoNotGrow(t *testing.T) {
	const room = 10
	table := NewTable[int](room)
	for key := uint64(1); key < 100*room; key++ {
		require.True(t, table.Set(key, new(int)))
		require.LessOrEqual(t, len(table.keys), spare*room)
		require.True(t, table.Set(key, nil))
	}
}
