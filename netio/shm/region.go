package shm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// region is the shared memory of one process, mapped here. Zero is a valid start: a ring without writes is empty.
//
//	signalled │ a ring header for each rank │ a ring of slots for each rank │ releases for each rank │ arena
//
// The mapping lives as long as anything refers to the region: a rank that did not return after a failure may still use
// its frames. So frames refer to it through their pools.
type region struct {
	mapped    []byte
	place     netio.Place    // of the process that owns the region
	signalled *atomic.Uint32 // 1 from a signal on the eventfd until the next look
	headers   []local.RingHeader
	slots     int
	rings     []local.Slot    // slots of each rank, by rank
	releases  []atomic.Uint64 // inflight.SharedMax of each rank, by rank
	arena     []byte
}

const (
	wordRoom    = local.SlotSize
	headerSize  = 4 * local.SlotSize
	slotsMin    = 1 << 10
	slotsMax    = 1 << 13
	slotsEach   = 128 // for each rank of another process: the default maximum of frames of credit of a link
	pageRoom    = 64 << 10
	arenaMin    = 64 << 20
	arenaShare  = 2 // default part of the available memory that all ranks together may lend
	regionAlign = 2 << 20
	readyRoom   = 1 << 20 // of each region is in memory before the job starts; less where many processes share a host
)

// sizes holds the offsets within a region. All processes compute the same ones for each region.
type sizes struct{ slots, headers, rings, releases, arena int }

func sizesOf(p netio.Place) sizes {
	ranks, others := p.Last-p.First, p.Ranks-(p.Last-p.First)
	s := sizes{slots: slotsMin}
	for s.slots < slotsMax && s.slots < others*slotsEach {
		s.slots *= 2
	}
	s.headers = wordRoom
	s.rings = s.headers + ranks*headerSize
	s.releases = s.rings + ranks*s.slots*local.SlotSize
	s.arena = roundUp(s.releases+ranks*inflight.SharedMax*8, pageRoom)
	return s
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// newRegion makes the region of this process, and the file that other processes map.
func newRegion(p netio.Place) (*region, *os.File, error) {
	room := max(arenaMin, cpu.MemoryAvailable()/arenaShare)
	file, mapped, err := newMemory(int64(roundUp(sizesOf(p).arena+int(room), regionAlign)))
	if err != nil {
		return nil, nil, err
	}
	makeReady(mapped, p)
	return layOut(mapped, p), file, nil
}

// openRegion maps the region of another process.
func openRegion(file *os.File, p netio.Place) (*region, error) {
	mapped, err := openMemory(file)
	if err != nil {
		return nil, err
	}
	if s := sizesOf(p); len(mapped) <= s.arena {
		unmapMemory(mapped)
		return nil, fmt.Errorf("open the memory of process %d: it has %d bytes, more than %d are needed",
			p.Process, len(mapped), s.arena)
	}
	makeReady(mapped, p)
	return layOut(mapped, p), nil
}

// makeReady touches a region's rings and its first frames: the first epoch should not wait for memory.
func makeReady(mapped []byte, p netio.Place) {
	touchPages(mapped[:min(len(mapped), readyRoom/max(1, p.Processes-1)/pageRoom*pageRoom)])
}

func layOut(mapped []byte, p netio.Place) *region {
	s, ranks := sizesOf(p), p.Last-p.First
	at := func(offset int) unsafe.Pointer { return unsafe.Pointer(&mapped[offset]) }
	r := &region{
		mapped: mapped, place: p, slots: s.slots,
		signalled: (*atomic.Uint32)(at(0)),
		headers:   unsafe.Slice((*local.RingHeader)(at(s.headers)), ranks),
		rings:     unsafe.Slice((*local.Slot)(at(s.rings)), ranks*s.slots),
		releases:  unsafe.Slice((*atomic.Uint64)(at(s.releases)), ranks*inflight.SharedMax),
		arena:     mapped[s.arena:len(mapped):len(mapped)],
	}
	runtime.AddCleanup(r, unmapMemory, mapped)
	return r
}

// ring returns the ring of one of the region's ranks.
func (r *region) ring(rank int) local.Ring {
	i := rank - r.place.First
	return local.Ring{Slots: r.rings[i*r.slots : (i+1)*r.slots], Header: &r.headers[i]}
}

func (r *region) releasesOf(rank int) releases {
	i := rank - r.place.First
	return releases{entries: r.releases[i*inflight.SharedMax : (i+1)*inflight.SharedMax], header: &r.headers[i]}
}

// find returns the offset of memory in the arena. It reports false if the memory lies elsewhere.
func (r *region) find(mem []byte) (offset uint64, ok bool) {
	offset = uint64(uintptr(unsafe.Pointer(&mem[0])) - uintptr(unsafe.Pointer(&r.arena[0])))
	return offset, offset < uint64(len(r.arena))
}

var errLocation = errors.New("its memory is not where frames are")

// memory returns the memory that a descriptor refers to, for at most the given number of bytes.
func (r *region) memory(at local.Location, bytes uint32) ([]byte, error) {
	if at.Class < frame.ClassMin || at.Class >= frame.ClassCount || at.Offset%cpu.CacheLine != 0 {
		return nil, errLocation
	}
	cost := uint64(frame.Bytes(int(at.Class)))
	if uint64(bytes)+frame.HeaderRoom > cost || at.Offset > uint64(len(r.arena)) || cost > uint64(len(r.arena))-at.Offset {
		return nil, errLocation
	}
	return r.arena[at.Offset : at.Offset+cost : at.Offset+cost], nil
}
