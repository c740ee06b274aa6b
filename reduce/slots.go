package reduce

import "math/bits"

// slots computes the slot of a key, and the part of the key that the slot stores: its tag. The slot's number gives
// log2(slots) bits of the key, so a tag has that many bits to spare. They hold the mark of the filling that it belongs
// to, so that a cache drops everything by incrementing one mark.
type slots struct {
	bits uint8  // log2 of the number of slots, 1 to 30
	rest uint8  // other bits of a word
	mask uint64 // number of slots - 1
	mark uint64 // of the current filling: 1 to mask; a slot never filled has 0
	step uint64 // see turn
}

// SizeMax is the largest size of a cache, in slots. It keeps a slot index within an int on every machine.
const SizeMax = 1 << 30

// spread is 2^64 over the golden ratio: multiples of it fall far from each other.
const spread = 0x9e3779b97f4a7c15

// newSlots makes at least size slots, a power of two. Two is the smallest number: a single slot would leave no bit for
// the mark.
func newSlots(size int) slots {
	log2 := max(1, bits.Len(uint(size-1)))
	root := log2 / 2
	return slots{
		bits: uint8(log2), rest: uint8(64 - log2),
		mask: 1<<log2 - 1, mark: 1,
		step: (1<<root+13)<<(64-log2) + spread>>(log2+root) | 1,
	}
}

func (s *slots) len() int { return int(s.mask) + 1 }

// of returns the slot of key, and the tag of key in the current filling.
func (s *slots) of(key uint64) (slot, tag uint64) {
	return (key + s.turn(key)) & s.mask, key&^s.mask | s.mark
}

// key returns the key whose tag is in slot.
func (s *slots) key(slot, tag uint64) uint64 {
	return tag&^s.mask | (slot-s.turn(tag))&s.mask
}

// turn returns the rotation of key's block, in slots. Keys are numbered in blocks as long as the cache, and each block
// fills all slots, in order. So a run of neighbouring keys as long as the cache, the usual case, gets a slot for each
// key, where a hash would reach two thirds of the slots. A block is turned from the one before by little more than the
// root of the slots: neighbours beyond a block's end rarely meet those at its beginning, keys of any stride spread, and
// short rows of a wide matrix lie apart. The fraction in step, the golden ratio over that root, does the same for far
// blocks.
func (s *slots) turn(key uint64) uint64 {
	return key >> (s.bits & 63) * s.step >> (s.rest & 63)
}

// renew starts a new filling: no earlier tag equals one of it. It reports whether marks have wrapped, so that old tags
// might match again.
func (s *slots) renew() (anew bool) {
	if s.mark < s.mask {
		s.mark++
		return false
	}
	s.mark = 1
	return true
}

// same reports whether two tags of one slot stand for the same key, with any marks.
func (s *slots) same(a, b uint64) bool { return a^b <= s.mask }

// past reports whether tag is from an earlier filling, or of a slot never filled.
func (s *slots) past(tag uint64) bool { return tag&s.mask != s.mark }
