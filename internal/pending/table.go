package pending

import "iter"

// Table numbers values, by slots that are reused when their value is removed. A slot counts its uses: its generation.
// It is not safe for concurrent use. The zero value is an empty table.
type Table[T any] struct {
	// Uses bounds the uses of a slot; 0 stands for no bound. Beyond it the slot stays empty.
	Uses uint32

	slots []slot[T]
	free  []uint32 // slots without a value
	used  int
}

type slot[T any] struct {
	v          T
	generation uint32 // number of values it has had
	used       bool   // it has a value
}

// Len returns the number of values.
func (t *Table[T]) Len() int { return t.used }

// Slots returns the number of slots: more than any number of a value.
func (t *Table[T]) Slots() int { return len(t.slots) }

// Full reports whether Add would make a slot beyond the given number.
func (t *Table[T]) Full(slots int) bool { return len(t.free) == 0 && len(t.slots) >= slots }

// Add adds a value, and returns its number.
func (t *Table[T]) Add(v T) uint32 {
	n, at := t.Reuse()
	*at = v
	return n
}

// Reuse adds the slot's value at the time of Free, or else the zero value. The pointer is valid until the next slot is
// added.
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

// At returns the value of a number that came from outside; nil if there is none. The pointer is valid until the next
// slot is added.
func (t *Table[T]) At(n uint32) *T {
	if uint64(n) >= uint64(len(t.slots)) || !t.slots[n].used {
		return nil
	}
	return &t.slots[n].v
}

// Generation returns the number of values that a slot has had; 0 if there is no such slot.
func (t *Table[T]) Generation(n uint32) uint32 {
	if uint64(n) >= uint64(len(t.slots)) {
		return 0
	}
	return t.slots[n].generation
}

// Remove removes a value, and returns it.
func (t *Table[T]) Remove(n uint32) T {
	v := t.slots[n].v
	t.slots[n].v = *new(T) // releases its memory
	t.Free(n)
	return v
}

// Free removes a value, and keeps it for the next Reuse of the slot.
func (t *Table[T]) Free(n uint32) {
	s := &t.slots[n]
	s.used = false
	t.used--
	if t.Uses == 0 || s.generation < t.Uses {
		t.free = append(t.free, n)
	}
}

// All yields the values by their numbers. Values may be removed meanwhile.
func (t *Table[T]) All() iter.Seq2[uint32, *T] {
	return func(yield func(uint32, *T) bool) {
		for n := range t.slots {
			if s := &t.slots[n]; s.used && !yield(uint32(n), &s.v) {
				return
			}
		}
	}
}
