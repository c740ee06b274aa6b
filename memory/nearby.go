package memory

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
)

// nearby has the addresses of the parts of an array that are near: those of this process's ranks, and others found
// mapped here. If a shift gives the owner of an element, nearby finds elements as well, without calls: the fewer
// instructions separate two loads, the more loads the processor has in flight.
type nearby struct {
	n     uint64 // elements that a shift finds; 0 if it can't
	mask  uint64 // of an index at its owner
	parts []site // of consecutive ranks
	first uint64 // first of these ranks
	shift uint8  // blocks have 2^shift elements
}

// site is the address of the part of a rank.
type site struct {
	at    unsafe.Pointer // first element; nil if unknown, or not near
	other uint64         // 1 if it belongs to another process and is mapped from this host
}

// newNearby returns the nearby of an array with the parts of this process, from rank first on.
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

// part returns the site of the part of a rank, as far as it is known.
func (v *nearby) part(rank int) (s site) {
	if own := uint64(rank) - v.first; own < uint64(len(v.parts)) {
		s = v.parts[own]
	}
	return s
}

// at returns the address of an element of the given size, and nil if it must be found another way. other is 1 if the
// element belongs to another process.
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

// read reads elements until one is not found. It returns the number of elements read, and the number of these of other
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

// write writes elements until one is not found. It returns the number of elements written, and the number of these of
// other processes.
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

// ahead is the number of elements that are found before the first access.
const ahead = 32

// found holds elements: those that are near, and the others.
type found struct {
	near        [ahead]nearElement
	far         [ahead]farElement
	nears, fars int
}

// nearElement has an element's address and index; farElement has an element's index, and its owner and local index.
type (
	nearElement struct {
		at unsafe.Pointer
		i  int
	}
	farElement struct{ i, owner, local int }
)

// add adds an element, as a near one if at is not nil.
func (f *found) add(i int, at unsafe.Pointer, owner, local int) {
	if at != nil {
		f.near[f.nears] = nearElement{at, i}
		f.nears++
	} else {
		f.far[f.fars] = farElement{i, owner, local}
		f.fars++
	}
}

// find finds at most ahead elements of the given size, and returns the number of near ones of other processes. It finds
// none if one of them must be found another way. The pattern of near elements is unpredictable, so no branch depends on
// it.
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
