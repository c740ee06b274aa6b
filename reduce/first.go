package reduce

import "unsafe"

// First lets the first pebble to a key travel on and drops later ones to the same key,
// whatever their values, for as long as the key is in its slot. It is for handlers that
// do their work for whichever pebble comes first. It remembers keys alone.
func First[V any]() Kind[V] {
	return Kind[V]{name: "first", make: func(s slots) store[V] {
		return &first[V]{slots: s, seen: make([]uint64, s.len())}
	}}
}

type first[V any] struct {
	writeThrough[V]
	slots slots
	seen  []uint64
}

func (f *first[V]) filter(vs []V, keys []uint64) (n, merged int) {
	vs = vs[:len(keys)]
	slots, seen := f.slots, f.seen // in registers
	for i, key := range keys {
		slot := slots.of(key)
		if seen[slot] == key && slots.isFilled(slot) {
			continue
		}
		seen[slot] = key
		slots.fill(slot)
		vs[n], keys[n] = vs[i], key
		n++
	}
	return n, len(keys) - n
}

func (f *first[V]) slotBytes() int { return int(unsafe.Sizeof(uint64(0))) }
