package reduce

import (
	"fmt"
	"time"
)

// Cache is a direct-mapped cache of pebbles of type V by their keys: each key has one
// slot, shared with many other keys, and the newest key takes it. It allocates nothing
// after NewCache. It belongs to one goroutine, and the functions given to its Kind must
// not use it; Filter and Drain panic if they do.
type Cache[V any] struct {
	store   store[V]
	size    int
	merged  uint64
	account account
	watch   watch
	busy    bool // a Filter is running
	// The batch of one of FilterOne; here, and not on its stack, from where it would
	// escape to the heap at every call.
	oneV   [1]V
	oneKey [1]uint64
}

// NewCache makes a cache of size slots, rounded up to a power of two of at least 2, whose
// Advise switches it off while it doesn't pay. It panics when size is not positive or
// above 2^30, or kind is the zero Kind.
func NewCache[V any](kind Kind[V], size int) *Cache[V] {
	if kind.make == nil {
		panic("reduce: cache of the zero Kind; use Duplicates, First, Best, Combine or Concatenate")
	}
	s, a, w := ofSize(size)
	return &Cache[V]{store: kind.make(s, kind.clone), size: s.len(), account: a, watch: w}
}

// ofSize is what caches of a size have, whatever they hold.
func ofSize(size int) (slots, account, watch) {
	if size <= 0 || size > SizeMax {
		panic(fmt.Sprintf("reduce: cache of %d slots; it takes 1 to %d (leave the cache out for none)", size, SizeMax))
	}
	s := newSlots(size)
	return s, newAccount(s.len()), newWatch(s)
}

// NewFixedCache is NewCache for a cache that is never off: for those who know that it
// pays, and for tests that count what is merged.
func NewFixedCache[V any](kind Kind[V], size int) *Cache[V] {
	c := NewCache(kind, size)
	c.account.fixed = true
	return c
}

// Advice is what a cache asks of the next pebbles.
type Advice uint8

const (
	// Use asks for Filter.
	Use Advice = iota
	// Skip lets them pass by.
	Skip
	// Watch lets them pass by as well, and asks for their keys by [Cache.Watch]: a trial is on.
	Watch
)

// Advise tells what is best for the next n pebbles. With Skip and Watch they
// are counted as passed by, and the caller sends them on without touching the cache.
// Nothing but speed depends on it: a pebble that passes by is one that isn't dropped or
// merged, and what is held stays until drained. It costs O(1), so ask once a batch.
//
// A cache goes off while it merges less than two fifths of the pebbles, a compromise between networks, where less would
// pay, and ranks of one process, where it takes more (Active Pebbles, section 3.5), and watches now and then whether
// that has changed. It stays off for a caller that doesn't give it the keys. To go off takes the time that 256 pebbles
// take to push out others: at random keys, the root of 512 times the slots, hence 5,800 pebbles at 2^16 slots. A trial
// takes twice as many, at some 1 or 2 ns each. When merging begins to pay, the cache is on again after 128 times the
// length of a trial at the most, 1.5 million pebbles at 2^16 slots. Streams for which it pays hardly more than it costs
// can stretch a trial to 32 pebbles a slot.
//
// [Cache.Price] replaces the two fifths by what looks and merges are worth.
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
		c.watch.renew() // what was there before is no evidence against the cache
	}
	return Skip
}

// Watch is for the keys of pebbles for which Advise said so, or of those of them that could meet the cache. In a trial
// it notes what the cache would have merged, and switches it on when that pays; else it does nothing. It
// doesn't keep the slice, and costs some 1 or 2 ns a key.
func (c *Cache[V]) Watch(keys []uint64) {
	c.checkIdle()
	if c.account.state == watching && c.account.bookWatched(len(keys), c.watch.look(keys)) {
		c.store.renew()
	}
}

// Price tells what a look costs, and what a merged pebble saves, in carrying and handling: c and G of Active Pebbles,
// section 3.5, as they were measured. From here on Advise goes by them. Prices of 0 and below count as the least
// that there is.
func (c *Cache[V]) Price(look, saved time.Duration) {
	look, saved = max(look, 1), max(saved, 1)
	c.account.earns = int(min(costs*saved/look, earnsMax))
}

// Filter takes the pebbles vs with their keys, and moves those that must travel on,
// among them pebbles that were held and had to make room, to vs[:n] and keys[:n]. What
// lies behind n means nothing. The slices are the caller's and are not kept. keys must
// be at least as long as vs.
//
// It costs a slot's cache miss or a few nanoseconds a pebble, and for Best, Combine and
// Concatenate a call of the program's function for a pebble that meets its key.
func (c *Cache[V]) Filter(vs []V, keys []uint64) (n int) {
	c.checkIdle()
	c.busy = true
	o := c.store.filter(vs, keys[:len(vs)])
	c.merged += uint64(o.merged)
	c.account.book(len(vs), o)
	c.busy = false
	return o.out
}

// FilterOne is Filter for one pebble: ok reports whether a pebble must travel on, and out
// and outKey which. It may be another one than v.
func (c *Cache[V]) FilterOne(v V, key uint64) (out V, outKey uint64, ok bool) {
	c.checkIdle()
	c.oneV[0], c.oneKey[0] = v, key
	n := c.Filter(c.oneV[:], c.oneKey[:])
	return c.oneV[0], c.oneKey[0], n == 1
}

// Drain moves up to len(vs) of the held pebbles out to vs and keys, and returns how
// many; 0 when none is held. Call it until Held is 0 to have all; Filter may be called
// in between. It costs O(1) when none is held, else O(pebbles moved + slots/64) for a
// whole round.
func (c *Cache[V]) Drain(vs []V, keys []uint64) int {
	c.checkIdle()
	return c.store.drain(vs, keys)
}

// Clear forgets all that is remembered, so that the next pebble to each key travels on.
// It is due wherever a pebble that was sent before no longer stands for one sent now,
// such as at the end of an epoch. It panics when pebbles are held, which would be lost:
// Drain first. It costs O(1): the slots are swept once in as many calls as there are
// slots. What remembered pebbles point to stays alive until their slots are
// used again.
func (c *Cache[V]) Clear() {
	if held := c.Held(); held != 0 {
		panic(fmt.Sprintf("reduce: clear of a cache that holds %d pebbles; drain it first", held))
	}
	c.store.renew()
	c.watch.renew()
	c.account.cleared()
}

// Merged is the number of pebbles that were dropped or merged since NewCache: those
// that came in, less those that went out and those held.
func (c *Cache[V]) Merged() uint64 { return c.merged }

// Off is the number of pebbles that passed by since NewCache because Advise said so.
func (c *Cache[V]) Off() uint64 { return c.account.off }

// Tries is how often the cache has begun a trial, after having been off, since NewCache.
func (c *Cache[V]) Tries() uint64 { return c.account.tries }

// Held is the number of pebbles that wait in the cache; always 0 for a write-through kind.
func (c *Cache[V]) Held() int { return c.store.held() }

// Size is the number of slots.
func (c *Cache[V]) Size() int { return c.size }

// SlotSize is the number of bytes of one slot, without the bit that tells Drain that it
// is filled.
func (c *Cache[V]) SlotSize() int { return c.store.slotBytes() }

// Bytes is the memory of all slots in bytes, and of the keys that trials watch (half
// a byte a slot, or up to 512 bytes where that is more), without what pebbles point to.
func (c *Cache[V]) Bytes() int { return c.store.bytes() + 8*len(c.watch.tags) }

// checkIdle panics when a function of the program, called in the middle of a Filter,
// comes back in: it would find half-moved pebbles, and lose some.
func (c *Cache[V]) checkIdle() {
	if c.busy {
		panic("reduce: cache used by the function that it called to compare or merge pebbles")
	}
}
