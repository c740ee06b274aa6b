package netio

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// region is the shared memory of one process, as it is mapped here. Everything in it is zero at first, and that is a good
// start: a ring that nobody has written to is empty.
//
//	bell │ a desk for each rank │ a ring of slots for each rank │ returns for each rank │ arena
//
// The mapping is kept for as long as anything refers to the region: a rank that did not come back after a failure may still
// use its frames. So frames refer to it, by their pools.
type region struct {
	mapped  []byte
	place   Place          // of the process that it belongs to
	rung    *atomic.Uint32 // 1 when somebody has rung the bell and nobody has answered
	desks   []desk
	slots   int
	rings   []slot          // slots of each rank, by rank
	returns []atomic.Uint64 // returnsMax of each rank, by rank
	arena   []byte
}

// desk is what one rank and those who send to it share besides rings. Each word is alone on two cache lines, which
// processors fetch together.
type desk struct {
	tail     atomic.Uint64 // tickets that senders have drawn for the ring's slots
	_        [slotSize - 8]byte
	head     atomic.Uint64 // slots that the rank has emptied, as far as it has told
	_        [slotSize - 8]byte
	returned atomic.Uint64 // tickets that releasers have drawn for the returns
	_        [slotSize - 8]byte
	asleep   atomic.Uint32 // awake, resting or called
	_        [slotSize - 4]byte
}

const (
	bellRoom    = slotSize
	deskSize    = 4 * slotSize
	slotsMin    = 1 << 10
	slotsMax    = 1 << 13
	slotsEach   = 128     // for each rank of another process: the most frames of credit that a link has by default
	returnsMax  = 1 << 12 // data frames that a rank may have under way in shared memory
	pageRoom    = 64 << 10
	arenaMin    = 64 << 20
	arenaShare  = 2 // of the memory that is available: what ranks may lend by default, all together
	regionAlign = 2 << 20
)

// sizes says where things are in a region. All processes compute the same for each.
type sizes struct{ slots, desks, rings, returns, arena int }

func sizesOf(p Place) sizes {
	ranks, others := p.Last-p.First, p.Ranks-(p.Last-p.First)
	s := sizes{slots: slotsMin}
	for s.slots < slotsMax && s.slots < others*slotsEach {
		s.slots *= 2
	}
	s.desks = bellRoom
	s.rings = s.desks + ranks*deskSize
	s.returns = s.rings + ranks*s.slots*slotSize
	s.arena = roundUp(s.returns+ranks*returnsMax*8, pageRoom)
	return s
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// newRegion makes the region of this process. The file is for those who are to map it too.
func newRegion(p Place) (*region, *os.File, error) {
	room := max(arenaMin, cpu.MemoryAvailable()/arenaShare)
	file, mapped, err := newMemory(int64(roundUp(sizesOf(p).arena+int(room), regionAlign)))
	if err != nil {
		return nil, nil, err
	}
	return layOut(mapped, p), file, nil
}

// openRegion maps the region of another process.
func openRegion(file *os.File, p Place) (*region, error) {
	mapped, err := openMemory(file)
	if err != nil {
		return nil, err
	}
	if s := sizesOf(p); len(mapped) <= s.arena {
		unmapMemory(mapped)
		return nil, fmt.Errorf("open the memory of process %d: it has %d bytes, more than %d are needed", p.Process, len(mapped), s.arena)
	}
	return layOut(mapped, p), nil
}

func layOut(mapped []byte, p Place) *region {
	s, ranks := sizesOf(p), p.Last-p.First
	at := func(offset int) unsafe.Pointer { return unsafe.Pointer(&mapped[offset]) }
	r := &region{
		mapped: mapped, place: p, slots: s.slots,
		rung:    (*atomic.Uint32)(at(0)),
		desks:   unsafe.Slice((*desk)(at(s.desks)), ranks),
		rings:   unsafe.Slice((*slot)(at(s.rings)), ranks*s.slots),
		returns: unsafe.Slice((*atomic.Uint64)(at(s.returns)), ranks*returnsMax),
		arena:   mapped[s.arena:len(mapped):len(mapped)],
	}
	runtime.AddCleanup(r, unmapMemory, mapped)
	return r
}

// ring is that of one of the region's ranks.
func (r *region) ring(rank int) ring {
	i := rank - r.place.First
	return ring{slots: r.rings[i*r.slots : (i+1)*r.slots], desk: &r.desks[i]}
}

func (r *region) returnsOf(rank int) returns {
	i := rank - r.place.First
	return returns{entries: r.returns[i*returnsMax : (i+1)*returnsMax], desk: &r.desks[i]}
}

// find says where in the arena memory lies, if it does.
func (r *region) find(mem []byte) (offset uint64, ok bool) {
	offset = uint64(uintptr(unsafe.Pointer(&mem[0])) - uintptr(unsafe.Pointer(&r.arena[0])))
	return offset, offset < uint64(len(r.arena))
}

var errPlace = errors.New("its memory is not where frames are")

// memory is what a letter of up to so many bytes refers to.
func (r *region) memory(at place, bytes uint32) ([]byte, error) {
	if at.class < classMin || at.class >= classCount || at.offset%cacheLine != 0 {
		return nil, errPlace
	}
	cost := uint64(classBytes(int(at.class)))
	if uint64(bytes)+headerRoom > cost || at.offset > uint64(len(r.arena)) || cost > uint64(len(r.arena))-at.offset {
		return nil, errPlace
	}
	return r.arena[at.offset : at.offset+cost : at.offset+cost], nil
}
