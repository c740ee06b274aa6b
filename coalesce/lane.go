package coalesce

import "unsafe"

// Lane is the buffer for one hop: memory for a fixed number of pebbles. The first Len are taken. It knows
// neither their type nor their size, which its callers give.
type Lane struct {
	base     unsafe.Pointer
	n        uint32
	capacity uint32
}

// NewLane makes a lane of capacity pebbles over the memory at base, which must be aligned for the pebbles' type and
// hold capacity of them. The lane keeps the memory alive.
func NewLane(base unsafe.Pointer, capacity int) Lane {
	return Lane{base: base, capacity: uint32(capacity)}
}

// Len is the number of pebbles in the lane.
func (l *Lane) Len() int { return int(l.n) }

// Cap is the number of pebbles that the lane has memory for.
func (l *Lane) Cap() int { return int(l.capacity) }

// Full tells that the lane has no room for another pebble.
func (l *Lane) Full() bool { return l.n == l.capacity }

// Reset forgets the lane's pebbles and keeps its memory.
func (l *Lane) Reset() { l.n = 0 }

// SetLen sets how much of the lane is taken, after its memory was filled by other means.
func (l *Lane) SetLen(n int) { l.n = uint32(n) }

// Base is the lane's memory, in which its pebbles lie side by side.
func (l *Lane) Base() unsafe.Pointer { return l.base }

// Append takes one more pebble of size bytes in, and returns its memory for the caller to fill; the lane must have
// room.
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
