package target

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/cpu"
)

// firstWord is the first 8 bytes of a pebble, or the first 4 of one that has fewer than 8.
func firstWord[V any](v *V) uint64 {
	if unsafe.Sizeof(*v) < 8 {
		return uint64(*(*uint32)(unsafe.Pointer(v)))
	}
	return *(*uint64)(unsafe.Pointer(v))
}

// shortcut is from a pebble to its owner without a look at the key: the key is the low bits of the pebble's first word,
// and all keys lie in blocks of 2^shift.
type shortcut struct {
	taken bool
	mask  uint64
	shift uint8
}

// shortcutOf finds the shortcut, if there is one. low is that of a keying.
func shortcutOf(low *int, owner distribution.Map) shortcut {
	blocks, ok := owner.(*distribution.BlockMap)
	if low == nil || !ok {
		return shortcut{}
	}
	mask := uint64(1)<<*low - 1
	shift, ok := blocks.Shift()
	return shortcut{taken: ok && mask < blocks.Len(), mask: mask, shift: uint8(shift)}
}

// owners fills in the owner of each pebble.
func owners[V any](s shortcut, vs []V, owners []uint32) {
	owners = owners[:len(vs)]
	mask, shift, done := s.mask, s.shift, 0
	if unsafe.Sizeof(*new(V)) == 8 {
		words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs))
		done = cpu.Fields(words, mask, shift, owners)
	}
	if shift == 0 { // a key is its owner: the loop is half as long
		for i := done; i < len(vs); i++ {
			owners[i] = uint32(firstWord(&vs[i]) & mask)
		}
		return
	}
	for i := done; i < len(vs); i++ {
		owners[i] = uint32(firstWord(&vs[i]) & mask >> (shift & 63))
	}
}
