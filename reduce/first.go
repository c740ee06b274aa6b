package reduce

import "unsafe"

// First lets the first pebble to a key travel on and drops later ones to the same key, with any value, as long as the
// key is in its slot. It is for handlers whose work depends on the first pebble to arrive alone. It remembers keys
// alone.
func First[V any]() Kind[V] {
	return Kind[V]{name: "first", make: func(s slots, _ func(v V) V) store[V] {
		return &first[V]{slots: s, seen: resident[uint64](s.len())}
	}}
}

type first[V any] struct {
	writeThrough[V]
	slots slots
	seen  []uint64 // tags
}

func (f *first[V]) filter(vs []V, keys []uint64) (o outcome) {
	vs = vs[:len(keys)]
	slots, seen := f.slots, f.seen // in registers
	n, fills := 0, 0
	for i, key := range keys {
		slot, tag := slots.of(key)
		old := seen[slot]
		if old == tag {
			continue
		}
		fills += one(slots.past(old))
		seen[slot] = tag
		vs[n], keys[n] = vs[i], key
		n++
	}
	return outcome{out: n, merged: len(keys) - n, fills: fills}
}

func (f *first[V]) renew() {
	if f.slots.renew() {
		clear(f.seen)
	}
}

func (f *first[V]) slotBytes() int { return int(unsafe.Sizeof(uint64(0))) }
func (f *first[V]) bytes() int     { return f.slotBytes() * len(f.seen) }
