package reduce

import (
	"math/bits"
	"unsafe"
)

// Combine merges pebbles to the same key: merge(held, next) takes the place of both. It
// is for handlers that add up: counts, sums, sets. merge must be associative and
// commutative, must keep the key, and must not use the cache.
//
// Pebbles stay in the cache until another key needs their slot or Drain takes them, so
// whoever holds the cache must drain it before an epoch can end.
func Combine[V any](merge func(a, b V) V) Kind[V] {
	if merge == nil {
		panic("reduce: Combine without a function that merges")
	}
	return Kind[V]{name: "combine", writeBack: true, make: func(s slots) store[V] {
		return &combine[V]{slots: s, entries: make([]entry[V], s.len()), merge: merge}
	}}
}

type combine[V any] struct {
	slots   slots
	entries []entry[V]
	merge   func(a, b V) V
	count   int // filled slots
	word    int // of slots.filled, where the next drain goes on
}

func (c *combine[V]) filter(vs []V, keys []uint64) (n, merged int) {
	keys = keys[:len(vs)]
	slots, entries := c.slots, c.entries // in registers
	for i, v := range vs {
		key := keys[i]
		slot := slots.of(key)
		e := &entries[slot]
		if !slots.isFilled(slot) {
			slots.fill(slot)
			c.count++
			e.key, e.v = key, v
			continue
		}
		if e.key == key {
			e.v = c.merge(e.v, v)
			merged++
			continue
		}
		// At most one goes out for each that came in, so n <= i: no unread pebble is lost.
		vs[n], keys[n] = e.v, e.key
		n++
		e.key, e.v = key, v
	}
	return n, merged
}

// drain goes around the words of filled bits from where it stopped last.
func (c *combine[V]) drain(vs []V, keys []uint64) (n int) {
	keys = keys[:len(vs)]
	for c.count > 0 {
		filled := &c.slots.filled[c.word]
		for *filled != 0 {
			if n == len(vs) {
				return n
			}
			bit := bits.TrailingZeros64(*filled)
			*filled &= *filled - 1
			e := &c.entries[c.word*64+bit]
			vs[n], keys[n] = e.v, e.key
			*e = entry[V]{} // whatever v points to is no longer ours to keep alive
			n++
			c.count--
		}
		c.word++
		if c.word == len(c.slots.filled) {
			c.word = 0
		}
	}
	return n
}

func (c *combine[V]) held() int      { return c.count }
func (c *combine[V]) slotBytes() int { return int(unsafe.Sizeof(entry[V]{})) }
