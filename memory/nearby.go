package memory

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
)

// nearby is where the parts of an array are that are near: those of this process's ranks, and those that were found
// mapped here. Where a shift tells whose an element is, it finds elements as well. It calls nothing then: the fewer
// instructions there are between two loads, the more of them the processor has in flight.
type nearby struct {
	n     uint64 // elements that a shift finds; 0 where it does not
	mask  uint64 // of an index at its owner
	parts []site // of ranks one after the other
	first uint64 // of these ranks
	shift uint8  // blocks have 2^shift elements
}

// site is where the part of a rank is.
type site struct {
	at    unsafe.Pointer // the first element; nil where that is not known, or not near
	other uint64         // 1: it is of another process, mapped from this host
}

// newNearby is that of an array with the parts of this process, from a rank on.
func newNearby(d distribution.Indexed, first int, parts []site) nearby {
	v := nearby{parts: parts, first: uint64(first)}
	if blocks, ok := d.(*distribution.BlockMap); ok {
		if bits, ok := blocks.Shift(); ok {
			v.n, v.mask, v.shift = d.Len(), 1<<bits-1, uint8(bits)
		}
	}
	return v
}

// add adds the part of a rank of another process, which is mapped here.
func (v *nearby) add(rank int, at unsafe.Pointer) {
	if before := int(v.first) - rank; before > 0 {
		v.parts = append(make([]site, before, before+len(v.parts)), v.parts...)
		v.first = uint64(rank)
	}
	own := rank - int(v.first)
	if beyond := own + 1 - len(v.parts); beyond > 0 {
		v.parts = append(v.parts, make([]site, beyond)...)
	}
	v.parts[own] = site{at: at, other: 1}
}

// part is where the part of a rank is, as far as that is known.
func (v *nearby) part(rank int) (s site) {
	if own := uint64(rank) - v.first; own < uint64(len(v.parts)) {
		s = v.parts[own]
	}
	return s
}

// at is where an element of so many bytes is, and nil when that has to be asked for otherwise. other is 1 when it is of
// another process.
func (v *nearby) at(i uint64, size uintptr) (at unsafe.Pointer, other uint64) {
	if i >= v.n {
		return nil, 0
	}
	own := i>>(v.shift&63) - v.first
	if own >= uint64(len(v.parts)) || v.parts[own].at == nil {
		return nil, 0
	}
	return unsafe.Add(v.parts[own].at, uintptr(i&v.mask)*size), v.parts[own].other
}

// moveNear reads or writes elements until one is not found, as read and write do.
func moveNear[T any](v *nearby, indices []uint64, all []T, way operation) (n int, others uint64) {
	if way == getting {
		return read(v, all, indices)
	}
	return write(v, indices, all)
}

// read reads elements until one is not found, and returns how many it has read, and how many of them are of other
// processes.
func read[T any](v *nearby, dst []T, indices []uint64) (n int, others uint64) {
	dst = dst[:len(indices)]
	for i, index := range indices {
		at, other := v.at(index, unsafe.Sizeof(dst[i]))
		if at == nil {
			return i, others
		}
		dst[i] = load[T](at)
		others += other
	}
	return len(indices), others
}

// write writes elements until one is not found, and returns how many it has written, and how many of them are of other
// processes.
func write[T any](v *nearby, indices []uint64, src []T) (n int, others uint64) {
	src = src[:len(indices)]
	for i, index := range indices {
		at, other := v.at(index, unsafe.Sizeof(src[i]))
		if at == nil {
			return i, others
		}
		store(at, src[i])
		others += other
	}
	return len(indices), others
}

// ahead is how many elements are found before the first is accessed.
const ahead = 32

// found is some elements: those that are near, and the others.
type found struct {
	near        [ahead]nearElement
	far         [ahead]farElement
	nears, fars int
}

// nearElement is one, and its index among them; farElement is one of a rank, there at local.
type (
	nearElement struct {
		at unsafe.Pointer
		i  int
	}
	farElement struct{ i, owner, local int }
)

// add adds an element that was found: near where at is not nil.
func (f *found) add(i int, at unsafe.Pointer, owner, local int) {
	if at != nil {
		f.near[f.nears] = nearElement{at, i}
		f.nears++
	} else {
		f.far[f.fars] = farElement{i, owner, local}
		f.fars++
	}
}

// find finds at most ahead elements of so many bytes, and returns how many of the near ones are of other processes. It
// finds none when one of them has to be found otherwise. Which are near is anybody's guess, so nothing depends on it by
// a branch.
func (v *nearby) find(f *found, indices []uint64, size uintptr) (others uint64, ok bool) {
	if len(v.parts) == 0 {
		return 0, false
	}
	n := 0
	for i, index := range indices {
		if index >= v.n {
			return 0, false
		}
		owner, local := index>>(v.shift&63), index&v.mask
		own, known := owner-v.first, 1
		if own >= uint64(len(v.parts)) {
			own, known = 0, 0
		}
		s := &v.parts[own]
		at, other, offset := s.at, s.other, uintptr(local)*size
		if known == 0 {
			at, other = nil, 0
		}
		near := 1
		if at == nil {
			offset, near = 0, 0
		}
		f.near[n&(ahead-1)] = nearElement{unsafe.Add(at, offset), i}
		f.far[(i-n)&(ahead-1)] = farElement{i, int(owner), int(local)}
		n += near
		others += other
	}
	f.nears, f.fars = n, len(indices)-n
	return others, true
}
