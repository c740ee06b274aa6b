package coalesce

import "unsafe"

// Lane is the buffer for one hop: memory for a fixed number of pebbles, of which the first Len are taken.
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

// Put appends one pebble; the lane must have room.
func Put[V any](l *Lane, v V) {
	*(*V)(unsafe.Add(l.base, uintptr(l.n)*unsafe.Sizeof(v))) = v
	l.n++
}

// Pebbles is the part of the lane that is taken. It shares the lane's memory.
func Pebbles[V any](l *Lane) []V { return View[V](l.base, int(l.n)) }

// View is the memory at base as n pebbles.
func View[V any](base unsafe.Pointer, n int) []V { return unsafe.Slice((*V)(base), n) }
