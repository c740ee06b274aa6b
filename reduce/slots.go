package reduce

import "math/bits"

// slots tells which slot belongs to a key and which slots are filled. One bit a slot
// keeps the slots themselves small, lets a cache forget everything by clearing 1/64 of
// a word a slot, and lets a drain step over 64 empty slots at a time.
type slots struct {
	shift  uint8    // 63 - log2 of the number of slots
	filled []uint64 // bit i%64 of word i/64 is slot i
}

// slotsMax keeps a slot index within an int on every machine.
const slotsMax = 1 << 30

// newSlots makes at least size slots, a power of two of them.
func newSlots(size int) slots {
	log2 := bits.Len(uint(size - 1))
	return slots{
		shift:  uint8(63 - log2),
		filled: make([]uint64, (1<<log2+63)/64),
	}
}

func (s *slots) len() int { return 1 << (63 - s.shift) }

// spread is 2^64 over the golden ratio: multiples of it fall far from each other.
const spread = 0x9e3779b97f4a7c15

// of is the slot of key: the top bits of a product, for every bit of key reaches those.
// The shift is in two steps because a single slot needs a shift by all 64 bits.
func (s *slots) of(key uint64) uint64 {
	return key * spread >> 1 >> (s.shift & 63)
}

func (s *slots) isFilled(slot uint64) bool {
	return s.filled[slot/64]>>(slot%64)&1 != 0
}

func (s *slots) fill(slot uint64) { s.filled[slot/64] |= 1 << (slot % 64) }

func (s *slots) clear() { clear(s.filled) }
