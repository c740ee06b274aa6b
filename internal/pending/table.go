package pending

import "iter"

// Table numbers values, by slots that are used again when their value is gone. A slot counts how often it was used: its
// generation. It is not safe for concurrent use. The zero value is an empty table.
type Table[T any] struct {
	// Uses bounds how often a slot is used; 0 is no bound. Beyond it the slot stays empty.
	Uses uint32

	slots []slot[T]
	free  []uint32 // slots without a value
	used  int
}

type slot[T any] struct {
	v          T
	generation uint32 // how many values it has had
	used       bool   // it has one
}

// Len is how many values there are.
func (t *Table[T]) Len() int { return t.used }

// Slots is how many slots there are: more than any number of a value.
func (t *Table[T]) Slots() int { return len(t.slots) }

// Full reports whether Add would make a slot beyond so many.
func (t *Table[T]) Full(slots int) bool { return len(t.free) == 0 && len(t.slots) >= slots }

// Add adds a value, and returns its number.
func (t *Table[T]) Add(v T) uint32 {
	n, at := t.Reuse()
	*at = v
	return n
}

// Reuse adds what the slot's value was when it was freed by Free, or else the zero value. The pointer is good until
// the next slot is added.
func (t *Table[T]) Reuse() (n uint32, v *T) {
	if last := len(t.free) - 1; last >= 0 {
		n = t.free[last]
		t.free = t.free[:last]
	} else {
		n = uint32(len(t.slots))
		t.slots = append(t.slots, slot[T]{})
	}
	s := &t.slots[n]
	s.generation++
	s.used = true
	t.used++
	return n, &s.v
}

// At is the value of a number that came from outside; nil when there is none. The pointer is good until the next slot
// is added.
func (t *Table[T]) At(n uint32) *T {
	if uint64(n) >= uint64(len(t.slots)) || !t.slots[n].used {
		return nil
	}
	return &t.slots[n].v
}

// Generation is how many values a slot has had; 0 when there is no such slot.
func (t *Table[T]) Generation(n uint32) uint32 {
	if uint64(n) >= uint64(len(t.slots)) {
		return 0
	}
	return t.slots[n].generation
}

// Remove takes a value out, and returns it.
func (t *Table[T]) Remove(n uint32) T {
	v := t.slots[n].v
	t.slots[n].v = *new(T) // which may hold memory
	t.Free(n)
	return v
}

// Free takes a value out, and keeps it for the next one who gets the slot by Reuse.
func (t *Table[T]) Free(n uint32) {
	s := &t.slots[n]
	s.used = false
	t.used--
	if t.Uses == 0 || s.generation < t.Uses {
		t.free = append(t.free, n)
	}
}

// All are the values by their numbers. Values may be taken out meanwhile.
func (t *Table[T]) All() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for n := range t.slots {
			if s := &t.slots[n]; s.used && !yield(uint32(n), &s.v) {
				return
			}
		}
	}
}
