package reduce

import "unsafe"

// Duplicates drops a pebble that equals, key and value, the one in its slot. It is for
// handlers to which the same pebble twice means no more than once.
func Duplicates[V comparable]() Kind[V] {
	return Kind[V]{name: "duplicates", make: func(s slots) store[V] {
		return &duplicates[V]{slots: s, entries: make([]entry[V], s.len())}
	}}
}

// An entry is what a slot holds or remembers.
type entry[V any] struct {
	key uint64
	v   V
}

type duplicates[V comparable] struct {
	writeThrough[V]
	slots   slots
	entries []entry[V]
}

func (d *duplicates[V]) filter(vs []V, keys []uint64) (n, merged int) {
	keys = keys[:len(vs)]
	slots, entries := d.slots, d.entries // in registers
	for i, v := range vs {
		key := keys[i]
		slot := slots.of(key)
		e := &entries[slot]
		if e.key == key && e.v == v && slots.isFilled(slot) {
			continue
		}
		e.key, e.v = key, v
		slots.fill(slot)
		vs[n], keys[n] = v, key
		n++
	}
	return n, len(keys) - n
}

func (d *duplicates[V]) slotBytes() int { return int(unsafe.Sizeof(entry[V]{})) }
