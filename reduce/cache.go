package reduce

import (
	"fmt"
	"time"
)

// Cache is a direct-mapped cache of pebbles of type V by their keys: each key has one slot, shared with many other
// keys, and the newest key takes it. It allocates nothing after NewCache. It belongs to one goroutine. The functions of
// its Kind must not use it; Filter and Drain panic if they do.
type Cache[V any] struct {
	store   store[V]
	size    int
	merged  uint64
	account account
	watch   watch
	busy    bool // a Filter is running
	// The batch of one of FilterOne. On its stack it would escape to the heap at every call.
	oneV   [1]V
	oneKey [1]uint64
}

// NewCache makes a cache of size slots, rounded up to a power of two of at least 2. Its Advise switches it off while it
// doesn't pay. NewCache panics if size is not positive or above 2^30, or kind is the zero Kind.
func NewCache[V any](kind Kind[V], size int) *Cache[V] {
	if kind.make == nil {
		panic("reduce: cache of the zero Kind; use Duplicates, First, Best, Combine or Concatenate")
	}
	s, a, w := ofSize(size)
	return &Cache[V]{store: kind.make(s, kind.clone), size: s.len(), account: a, watch: w}
}

// ofSize returns the parts of a cache that depend on its size alone.
func ofSize(size int) (slots, account, watch) {
	if size <= 0 || size > SizeMax {
		panic(fmt.Sprintf("reduce: cache of %d slots; it takes 1 to %d (leave the cache out for none)", size, SizeMax))
	}
	s := newSlots(size)
	return s, newAccount(s.len()), newWatch(s)
}

// NewFixedCache is NewCache for a cache that is never off: for caches that are known to pay, and for tests that count
// merges.
func NewFixedCache[V any](kind Kind[V], size int) *Cache[V] {
	c := NewCache(kind, size)
	c.account.fixed = true
	return c
}

// Advice is the treatment that a cache advises for the next pebbles.
type Advice uint8

const (
	// Use advises Filter.
	Use Advice = iota
	// Skip lets them pass by.
	Skip
	// Watch lets them pass by as well, and asks for their keys by [Cache.Watch]: a trial is in progress.
	Watch
)

// Advise returns the advice for the next n pebbles. With Skip and Watch it counts them as passed by, and the caller
// sends them on without the cache. Only speed depends on the advice: a pebble that passes by is not dropped or merged,
// and held pebbles stay until drained. It costs O(1), so ask once per batch.
//
// A cache switches off while it merges less than two fifths of the pebbles, a compromise between networks, where less
// would pay, and ranks of one process, where it takes more (Active Pebbles, section 3.5). From time to time it watches
// whether that has changed. It stays off if the caller doesn't pass the keys to Watch. Switching off takes the time
// that 256 pebbles take to push out others: at random keys, the root of 512 times the slots, hence 5,800 pebbles at
// 2^16 slots. A trial takes twice as many, at 1 or 2 ns each. When merging begins to pay, the cache is on again after
// at most 128 times the length of a trial, 1.5 million pebbles at 2^16 slots. Streams near the limit can stretch a
// trial to 32 pebbles per slot.
//
// [Cache.Price] replaces the two fifths by measured costs.
func (c *Cache[V]) Advise(n int) Advice {
	if c.account.state == on {
		return Use
	}
	return c.passBy(n)
}

func (c *Cache[V]) passBy(n int) Advice {
	c.checkIdle()
	if c.account.state == watching {
		c.account.pass(n)
		return Watch
	}
	if c.account.pass(n) {
		c.watch.renew() // earlier pebbles are no evidence against the cache
	}
	return Skip
}

// Watch takes the keys of pebbles for which Advise returned Watch, or of those of them that could meet the cache. In a
// trial it counts the merges that the cache would have made, and switches it on if that pays; otherwise it does
// nothing. It doesn't keep the slice, and costs 1 or 2 ns per key.
func (c *Cache[V]) Watch(keys []uint64) {
	c.checkIdle()
	if c.account.state == watching && c.account.bookWatched(len(keys), c.watch.look(keys)) {
		c.store.renew()
	}
}

// Price sets the cost of a lookup, and the time that a merged pebble saves in carrying and handling: measured values of
// c and G of Active Pebbles, section 3.5. Later advice uses them. Prices of 0 and below count as the smallest price.
func (c *Cache[V]) Price(look, saved time.Duration) {
	look, saved = max(look, 1), max(saved, 1)
	c.account.earns = int(min(costs*saved/look, earnsMax))
}

// Filter takes the pebbles vs with their keys, and moves those that must travel on to vs[:n] and keys[:n]. These
// include held pebbles that had to make room. The elements from n on are undefined. The caller keeps the slices. keys
// must be at least as long as vs.
//
// It costs a slot's cache miss or a few nanoseconds per pebble, and for Best, Combine and Concatenate a call of the
// program's function for a pebble that meets its key.
func (c *Cache[V]) Filter(vs []V, keys []uint64) (n int) {
	c.checkIdle()
	c.busy = true
	o := c.store.filter(vs, keys[:len(vs)])
	c.merged += uint64(o.merged)
	c.account.book(len(vs), o)
	c.busy = false
	return o.out
}

// FilterOne is Filter for one pebble: ok reports whether a pebble must travel on, and out and outKey are that pebble.
// It may be another one than v.
func (c *Cache[V]) FilterOne(v V, key uint64) (out V, outKey uint64, ok bool) {
	c.checkIdle()
	c.oneV[0], c.oneKey[0] = v, key
	n := c.Filter(c.oneV[:], c.oneKey[:])
	return c.oneV[0], c.oneKey[0], n == 1
}

// Drain moves up to len(vs) of the held pebbles to vs and keys, and returns their number; 0 if none is held. Call it
// until Held is 0 to get all; Filter may be called in between. It costs O(1) if none is held, else O(pebbles moved +
// slots/64) for a whole round.
func (c *Cache[V]) Drain(vs []V, keys []uint64) int {
	c.checkIdle()
	return c.store.drain(vs, keys)
}

// Clear drops all remembered pebbles, so that the next pebble to each key travels on. Call it whenever an earlier
// pebble no longer stands for a later one, such as at the end of an epoch. It panics if pebbles are held, which would
// be lost: Drain first. It costs O(1): the slots are swept once in as many calls as there are slots. Data that
// remembered pebbles point to stays alive until their slots are used again.
func (c *Cache[V]) Clear() {
	if held := c.Held(); held != 0 {
		panic(fmt.Sprintf("reduce: clear of a cache that holds %d pebbles; drain it first", held))
	}
	c.store.renew()
	c.watch.renew()
	c.account.cleared()
}

// Merged returns the number of pebbles that were dropped or merged since NewCache: those that came in, less those that
// went out and those held.
func (c *Cache[V]) Merged() uint64 { return c.merged }

// Off returns the number of pebbles that passed by since NewCache on Advise's advice.
func (c *Cache[V]) Off() uint64 { return c.account.off }

// Tries returns the number of trials since NewCache.
func (c *Cache[V]) Tries() uint64 { return c.account.tries }

// Held returns the number of pebbles that wait in the cache; always 0 for a write-through kind.
func (c *Cache[V]) Held() int { return c.store.held() }

// Size returns the number of slots.
func (c *Cache[V]) Size() int { return c.size }

// SlotSize returns the bytes of one slot, without the bit that marks it as filled for Drain.
func (c *Cache[V]) SlotSize() int { return c.store.slotBytes() }

// Bytes returns the memory of all slots in bytes, and of the keys that trials watch (half a byte per slot, or up to 512
// bytes if that is more), without data that pebbles point to.
func (c *Cache[V]) Bytes() int { return c.store.bytes() + 8*len(c.watch.tags) }

// checkIdle panics if a function of the program, called during a Filter, uses the cache: it would find half-moved
// pebbles, and lose some.
func (c *Cache[V]) checkIdle() {
	if c.busy {
		panic("reduce: cache used by the function that it called to compare or merge pebbles")
	}
}
