package reduce

import "math/bits"

// slots tells which slot belongs to a key, and what of the key the slot must remember:
// its tag. The slot's own number says log2(slots) bits of the key, so a tag has as many
// bits to spare. They hold the mark of the filling that it belongs to, so that a cache
// forgets everything by counting up one mark.
type slots struct {
	bits uint8  // log2 of the number of slots, 1 to 30
	rest uint8  // the other bits of a word
	mask uint64 // number of slots - 1
	mark uint64 // of the present filling: 1 to mask; a slot never filled has 0
	step uint64 // see turn
}

// SizeMax is the largest size of a cache, in slots. It keeps a slot index within an int on every machine.
const SizeMax = 1 << 30

// spread is 2^64 over the golden ratio: multiples of it fall far from each other.
const spread = 0x9e3779b97f4a7c15

// newSlots makes at least size slots, a power of two of them. Two is the least: with a
// single one there would be no bit for the mark.
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

// of is the slot of key, and the tag that stands for key there and now.
func (s *slots) of(key uint64) (slot, tag uint64) {
	return (key + s.turn(key)) & s.mask, key&^s.mask | s.mark
}

// key is the key whose tag is in slot.
func (s *slots) key(slot, tag uint64) uint64 {
	return tag&^s.mask | (slot-s.turn(tag))&s.mask
}

// turn is by how many slots the block of key is turned: keys are numbered through in
// blocks as long as the cache, and each block fills all slots, in order. So as many
// neighbouring keys as there are slots, the usual case, get a slot each, which a hash
// would give to two thirds of them. A block is turned from the one before by little more
// than the root of the slots: neighbours beyond a block's end rarely meet those at its
// beginning, keys of any stride spread, and short rows of a wide matrix lie apart. The
// fraction in step, the golden ratio over that root, does the same for far blocks.
func (s *slots) turn(key uint64) uint64 {
	return key >> (s.bits & 63) * s.step >> (s.rest & 63)
}

// renew begins a new filling: no tag of before equals one of now. It tells when marks
// have begun anew, and tags of long ago might match again.
func (s *slots) renew() (anew bool) {
	if s.mark < s.mask {
		s.mark++
		return false
	}
	s.mark = 1
	return true
}

// same reports whether two tags of one slot stand for the same key, whatever their marks.
func (s *slots) same(a, b uint64) bool { return a^b <= s.mask }

// past reports whether tag is from an earlier filling, or of a slot never filled.
func (s *slots) past(tag uint64) bool { return tag&s.mask != s.mark }
