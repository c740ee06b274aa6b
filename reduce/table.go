package reduce

import "unsafe"

// An entry is the content of a slot.
type entry[V any] struct {
	tag uint64
	v   V
}

// table has the slots of the kinds that store pebbles.
type table[V any] struct {
	slots   slots
	entries []entry[V]
	touched uint64 // keeps the compiler from removing the loads of touch
}

func newTable[V any](s slots) table[V] {
	return table[V]{slots: s, entries: resident[entry[V]](s.len())}
}

func (t *table[V]) slotBytes() int { return int(unsafe.Sizeof(entry[V]{})) }
func (t *table[V]) bytes() int     { return t.slotBytes() * len(t.entries) }

// large is the size in bytes from which slots lie mostly in main memory.
const large = 8 << 20

// resident makes n zero elements, and touches their pages unless they are large. A cache reads a slot before it writes
// to it: the first read of a page maps the system's page of zeros, and the write replaces that one, which interrupts
// every core of the process.
func resident[T any](n int) []T {
	s := make([]T, n)
	if uintptr(n)*unsafe.Sizeof(s[0]) < large {
		clear(s)
	}
	return s
}

// touch loads the slots of keys, many at a time. Loops that call the program's function for a pebble overlap few loads,
// and would wait for main memory once per pebble: at 2^20 slots of 16 bytes this made Combine a quarter faster. Nearer
// memory isn't worth a second pass.
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
