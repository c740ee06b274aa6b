package target

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/cpu"
)

// firstWord returns the first 8 bytes of a pebble, or the first 4 of one that has fewer than 8.
func firstWord[V any](v *V) uint64 {
	if unsafe.Sizeof(*v) < 8 {
		return uint64(*(*uint32)(unsafe.Pointer(v)))
	}
	return *(*uint64)(unsafe.Pointer(v))
}

// shortcut leads from a pebble to its owner without computing the key: the key is the low bits of the pebble's first
// word, and all keys lie in blocks of 2^shift.
type shortcut struct {
	taken bool
	mask  uint64
	shift uint8
}

// shortcutOf returns the shortcut, if one exists. low is that of a keying.
func shortcutOf(low *int, owner distribution.Map) shortcut {
	blocks, ok := owner.(*distribution.BlockMap)
	if low == nil || !ok {
		return shortcut{}
	}
	mask := uint64(1)<<*low - 1
	shift, ok := blocks.Shift()
	return shortcut{taken: ok && mask < blocks.Len(), mask: mask, shift: uint8(shift)}
}

// owners stores the owner of each pebble.
func (s shortcut) owners(vs pebbles, size int, owners []uint32) {
	owners = owners[:vs.n]
	mask, shift, done := s.mask, s.shift&63, 0
	if size == 8 {
		done = cpu.Fields(unsafe.Slice((*uint64)(vs.at), vs.n), mask, s.shift, owners)
	}
	if size < 8 {
		for i := range owners {
			owners[i] = uint32(uint64(*(*uint32)(unsafe.Add(vs.at, i*size))) & mask >> shift)
		}
		return
	}
	for ; done+4 <= len(owners); done += 4 { // four at a time: half of the instructions
		four, at := (*[4]uint32)(unsafe.Pointer(&owners[done])), unsafe.Add(vs.at, done*size)
		four[0] = uint32(*(*uint64)(at) & mask >> shift)
		four[1] = uint32(*(*uint64)(unsafe.Add(at, size)) & mask >> shift)
		four[2] = uint32(*(*uint64)(unsafe.Add(at, 2*size)) & mask >> shift)
		four[3] = uint32(*(*uint64)(unsafe.Add(at, 3*size)) & mask >> shift)
	}
	for i := done; i < len(owners); i++ {
		owners[i] = uint32(*(*uint64)(unsafe.Add(vs.at, i*size)) & mask >> shift)
	}
}
