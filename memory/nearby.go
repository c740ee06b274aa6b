package memory

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
)

// nearby finds elements that are near, where a shift tells whose they are. It calls nothing: the fewer instructions there are between two loads,
// the more of them the processor has under way. The zero value finds none.
type nearby struct {
	n     uint64           // how many elements there are
	mask  uint64           // of an index at its owner
	parts []unsafe.Pointer // of the ranks of this process: the first element
	first uint64           // of these ranks
	shift uint8            // blocks have 2^shift elements
}

// newNearby is that of an array of whose parts some are in this process, from a rank on.
func newNearby(d distribution.Indexed, first int, parts []part) (v nearby) {
	blocks, ok := d.(*distribution.BlockMap)
	if !ok {
		return v
	}
	bits, ok := blocks.Shift()
	if !ok {
		return v
	}
	v = nearby{n: d.Len(), mask: 1<<bits - 1, shift: uint8(bits), first: uint64(first)}
	for _, p := range parts {
		v.parts = append(v.parts, p.near)
	}
	return v
}

// at is where an element of so many bytes is, and nil when that has to be asked for otherwise.
func (v *nearby) at(i uint64, size uintptr) unsafe.Pointer {
	if i >= v.n {
		return nil
	}
	own := i>>(v.shift&63) - v.first
	if own >= uint64(len(v.parts)) {
		return nil
	}
	return unsafe.Add(v.parts[own], uintptr(i&v.mask)*size)
}

// read reads elements until one is not found, and returns how many it has read.
func read[T any](v *nearby, dst []T, indices []uint64) int {
	dst = dst[:len(indices)]
	for i, index := range indices {
		at := v.at(index, unsafe.Sizeof(dst[i]))
		if at == nil {
			return i
		}
		dst[i] = load[T](at)
	}
	return len(indices)
}

// write writes elements until one is not found, and returns how many it has written.
func write[T any](v *nearby, indices []uint64, src []T) int {
	src = src[:len(indices)]
	for i, index := range indices {
		at := v.at(index, unsafe.Sizeof(src[i]))
		if at == nil {
			return i
		}
		store(at, src[i])
	}
	return len(indices)
}
