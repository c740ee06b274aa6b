package reduce

import "unsafe"

// An entry is what a slot holds or remembers.
type entry[V any] struct {
	tag uint64
	v   V
}

// table is the slots of the kinds that keep pebbles.
type table[V any] struct {
	slots   slots
	entries []entry[V]
	touched uint64 // keeps the loads of touch from being left out as useless
}

func newTable[V any](s slots) table[V] {
	return table[V]{slots: s, entries: make([]entry[V], s.len())}
}

func (t *table[V]) slotBytes() int { return int(unsafe.Sizeof(entry[V]{})) }
func (t *table[V]) bytes() int     { return t.slotBytes() * len(t.entries) }

// large is the size in bytes from which slots lie mostly in main memory.
const large = 8 << 20

// touch loads the slots of keys, many at a time. Loops that call the program's function
// for a pebble overlap few loads, and would wait for main memory once a
// pebble: at 2^20 slots of 16 bytes this made Combine a quarter faster. Nearer memory
// isn't worth a second pass.
func (t *table[V]) touch(keys []uint64) {
	if t.bytes() < large {
		return
	}
	var tags uint64
	for _, key := range keys {
		slot, _ := t.slots.of(key)
		tags ^= t.entries[slot].tag
	}
	t.touched = tags
}
