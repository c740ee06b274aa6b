package coalesce

import "unsafe"

// Lane is the buffer for one hop: memory for a fixed number of pebbles, of which the first Len are taken. Its callers
// give the type and size of the pebbles.
type Lane struct {
	base     unsafe.Pointer
	n        uint32
	capacity uint32
}

// NewLane makes a lane over the memory at base, which must be aligned for the pebbles' type and hold capacity pebbles.
// The lane keeps the memory alive.
func NewLane(base unsafe.Pointer, capacity int) Lane {
	return Lane{base: base, capacity: uint32(capacity)}
}

// Len returns the number of pebbles in the lane.
func (l *Lane) Len() int { return int(l.n) }

// Cap returns the number of pebbles for which the lane has memory.
func (l *Lane) Cap() int { return int(l.capacity) }

// Full reports whether the lane has no room for another pebble.
func (l *Lane) Full() bool { return l.n == l.capacity }

// Reset drops the lane's pebbles and keeps its memory.
func (l *Lane) Reset() { l.n = 0 }

// SetLen sets the number of pebbles in the lane, after its caller has filled the memory directly.
func (l *Lane) SetLen(n int) { l.n = uint32(n) }

// Base returns the lane's memory, where its pebbles lie side by side.
func (l *Lane) Base() unsafe.Pointer { return l.base }

// Append adds a pebble of size bytes, and returns its memory for the caller to fill. The lane must have room.
func (l *Lane) Append(size int) unsafe.Pointer {
	at := unsafe.Add(l.base, int(l.n)*size)
	l.n++
	return at
}

// Move copies the pebble of size bytes of plain data at from.
func Move(to, from unsafe.Pointer, size int) {
	switch size {
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 16:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	default:
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
	}
}
