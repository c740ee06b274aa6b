package inflight

// Table numbers what is in flight. A number is used again once it has left. It is not safe for concurrent use. The zero value is
// empty.
type Table[T comparable] struct {
	slots []T
	free  []uint32 // slots that hold the zero value
}

// Len is how much is in flight.
func (t *Table[T]) Len() int { return len(t.slots) - len(t.free) }

// Slots is how many numbers are known: more than any in use.
func (t *Table[T]) Slots() int { return len(t.slots) }

// Enter returns the number of v, which is not the zero value.
func (t *Table[T]) Enter(v T) uint32 {
	if last := len(t.free) - 1; last >= 0 {
		n := t.free[last]
		t.free = t.free[:last]
		t.slots[n] = v
		return n
	}
	t.slots = append(t.slots, v)
	return uint32(len(t.slots) - 1)
}

// At is what is in flight by a number that came from outside; nil when there is nothing.
func (t *Table[T]) At(n uint32) *T {
	var zero T
	if int64(n) >= int64(len(t.slots)) || t.slots[n] == zero {
		return nil
	}
	return &t.slots[n]
}

// Leave takes out what is in flight by a number.
func (t *Table[T]) Leave(n uint32) T {
	var zero T
	v := t.slots[n]
	t.slots[n] = zero
	t.free = append(t.free, n)
	return v
}
