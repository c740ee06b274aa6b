package ofi

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/frame"
)

// pinned is the memory that is registered with the fabric, within a limit. It is for the holder of the way's lock.
type pinned struct {
	fabric  fabric
	limit   int64
	used    int64
	kept    int64 // for exposed memory that is not yet registered
	refused error // the first refusal
	all     []region
}

var errPinned = errors.New("no more memory may be pinned: raise --pinned, or `ulimit -l`")

// register registers memory of another owner.
func (p *pinned) register(mem []byte) (region, error) {
	if int64(len(mem)) > p.left() {
		return region{}, p.refuse(fmt.Errorf("%d bytes beside %d of %d: %w", len(mem), p.used+p.kept, p.limit, errPinned))
	}
	r, err := p.fabric.Register(mem, random())
	if err != nil {
		return region{}, p.refuse(err)
	}
	p.used += int64(len(mem))
	return r, nil
}

func (p *pinned) left() int64 { return p.limit - p.used - p.kept }

func (p *pinned) refuse(err error) error {
	if p.refused == nil {
		p.refused = err
	}
	return err
}

func (p *pinned) deregister(r region) {
	p.used -= int64(len(r.mem))
	_ = p.fabric.Deregister(r) // unused, so a failure has no consequence
}

// more maps and registers memory, which stays until the end.
func (p *pinned) more(bytes int) (region, error) {
	mem := mapped(bytes)
	if mem == nil {
		return region{}, p.refuse(errors.New("the system has no memory left"))
	}
	r, err := p.register(mem)
	if err != nil {
		unmapped(mem)
		return region{}, err
	}
	p.all = append(p.all, r)
	return r, nil
}

// arena lends registered memory for frames that are fetched. Freed memory keeps its size class.
type arena struct {
	pinned *pinned
	chunks []region // by address
	rest   []byte   // of the newest chunk
	free   [frame.ClassCount][][]byte
}

const chunkBytes = 4 << 20

// alloc returns memory for a frame of n bytes in total, or nil without room.
func (a *arena) alloc(n int) []byte {
	free := &a.free[frame.ClassOf(n-frame.HeaderRoom)]
	if last := len(*free) - 1; last >= 0 {
		mem := (*free)[last]
		*free = (*free)[:last]
		return mem
	}
	if n > len(a.rest) {
		r, err := a.pinned.more(max(chunkBytes, (n+4095)&^4095))
		if err != nil {
			return nil
		}
		i, _ := slices.BinarySearchFunc(a.chunks, addressOf(r.mem), byAddress)
		a.chunks = slices.Insert(a.chunks, i, r)
		a.rest = r.mem
	}
	mem := a.rest[:n:n]
	a.rest = a.rest[n:]
	return mem
}

// release takes back memory of alloc. It ignores other memory.
func (a *arena) release(mem []byte) {
	if _, _, ok := a.find(mem); ok {
		c := frame.Class(mem)
		a.free[c] = append(a.free[c], mem)
	}
}

// find returns the location of memory.
func (a *arena) find(mem []byte) (r region, offset int, ok bool) {
	at := addressOf(mem)
	i, exact := slices.BinarySearchFunc(a.chunks, at, byAddress)
	if !exact {
		i--
	}
	if i < 0 || at-addressOf(a.chunks[i].mem) >= uintptr(len(a.chunks[i].mem)) {
		return region{}, 0, false
	}
	return a.chunks[i], int(at - addressOf(a.chunks[i].mem)), true
}

// pinnedError reports that memory cannot be exposed.
type pinnedError struct {
	bytes       int
	left, limit int64
}

func (e pinnedError) Error() string {
	return fmt.Sprintf("%d bytes: %d of the %d that may be pinned are left: "+
		"raise --pinned (and `ulimit -l`), or expose less", e.bytes, e.left, e.limit)
}

func addressOf(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

func byAddress(r region, at uintptr) int { return cmp.Compare(addressOf(r.mem), at) }

// random returns 64 random bits.
func random() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
