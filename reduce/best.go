package reduce

import "unsafe"

// Best lets a pebble travel on only if it is better than the one remembered for its key.
// It is for handlers that keep the best value: a maximum, a shortest distance. better
// must be a strict ordering (better(a, a) is false); of equal pebbles the first goes.
// It must not use the cache.
func Best[V any](better func(a, b V) bool) Kind[V] {
	if better == nil {
		panic("reduce: Best without a function that says which is better")
	}
	return Kind[V]{name: "best", make: func(s slots) store[V] {
		return &best[V]{slots: s, entries: make([]entry[V], s.len()), better: better}
	}}
}

type best[V any] struct {
	writeThrough[V]
	slots   slots
	entries []entry[V]
	better  func(a, b V) bool
}

func (b *best[V]) filter(vs []V, keys []uint64) (n, merged int) {
	keys = keys[:len(vs)]
	slots, entries := b.slots, b.entries // in registers
	for i, v := range vs {
		key := keys[i]
		slot := slots.of(key)
		e := &entries[slot]
		if e.key == key && slots.isFilled(slot) && !b.better(v, e.v) {
			continue
		}
		e.key, e.v = key, v
		slots.fill(slot)
		vs[n], keys[n] = v, key
		n++
	}
	return n, len(keys) - n
}

func (b *best[V]) slotBytes() int { return int(unsafe.Sizeof(entry[V]{})) }
