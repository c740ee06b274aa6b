package exposed

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Segment is the exposed memory of one process, as mapped here. All of it is zero at first.
//
//	a mark for each user │ an entry for each exposure │ arena
//
// The mapping exists as long as anything refers to the segment.
type Segment struct {
	process int
	users   []mark
	entries []entry
	arena   []byte
	shared  bool // also mapped by other processes
	lost    atomic.Bool
}

// Lose marks the process of the segment as gone: later accesses fail.
func (s *Segment) Lose() { s.lost.Store(true) }

// mark is the entry that a user accesses, or nothing. It is alone on two cache lines, which processors fetch together.
type mark struct {
	at atomic.Uint64
	_  [120]byte
}

// entry is one exposure. Its process writes it while no user accesses it, except key.
type entry struct {
	key    atomic.Uint64 // while it is valid; else 0
	last   atomic.Uint64 // highest key so far
	offset atomic.Uint64 // in the arena
	bytes  atomic.Uint64
	_      [32]byte
}

const (
	// EntriesMax is the default limit on exposures of a process at a time.
	EntriesMax = 1 << 16

	slotBits  = 32
	markBytes = 128
	pageBytes = 4 << 10
	hugeBytes = 2 << 20
)

// headBytes returns the bytes before the arena.
func headBytes(users, entries int) int {
	return roundUp(users*markBytes+entries*int(unsafe.Sizeof(entry{})), hugeBytes)
}

// Bytes returns the size of a segment with the given room for exposed memory, and the given number of users.
func Bytes(room int64, users int) int64 {
	return int64(headBytes(users, EntriesMax)) + room&^(hugeBytes-1)
}

// Reserve makes a segment that no other process maps. Its memory takes room when it is touched. If the system limits
// address space, it is smaller than requested.
func Reserve(process int, room int64, users, entries int) (*Segment, error) {
	var failed error
	for ; room >= hugeBytes; room /= 2 {
		mapped, err := Map(headBytes(users, entries) + int(room)&^(hugeBytes-1))
		if err == nil {
			return layOut(mapped, Unmap, process, users, entries, false), nil
		}
		failed = err
	}
	return nil, fmt.Errorf("reserve address space for exposed memory: %w: raise the limit on address space (ulimit -v)",
		failed)
}

// Share makes a segment of memory that several processes have mapped: the owner's, or another one's mapping here. unmap
// ends the mapping, after the segment.
func Share(mapped []byte, unmap func([]byte), process, users int) (*Segment, error) {
	if len(mapped) < headBytes(users, EntriesMax)+hugeBytes {
		return nil, fmt.Errorf("open the exposed memory of process %d: it has %d bytes, %d are needed at least",
			process, len(mapped), headBytes(users, EntriesMax)+hugeBytes)
	}
	return layOut(mapped, unmap, process, users, EntriesMax, true), nil
}

func layOut(mapped []byte, unmap func([]byte), process, users, entries int, shared bool) *Segment {
	s := &Segment{
		process: process, shared: shared,
		users:   unsafe.Slice((*mark)(unsafe.Pointer(&mapped[0])), users),
		entries: unsafe.Slice((*entry)(unsafe.Pointer(&mapped[users*markBytes])), entries),
		arena:   mapped[headBytes(users, entries):],
	}
	runtime.AddCleanup(s, unmap, mapped)
	return s
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// User accesses segments, from one goroutine at a time.
type User struct{ mark *mark }

// User returns the user of a number, of the process that owns this segment.
func (s *Segment) User(number int) User { return User{&s.users[number]} }

// here returns the mark of a user that accesses an entry.
func (s *Segment) here(slot uint32) uint64 { return uint64(s.process+1)<<slotBits | uint64(slot+1) }

// enter finds n bytes, and keeps them allocated until leave.
func (u User) enter(s *Segment, p Place, n uint64) (unsafe.Pointer, Fault) {
	slot := uint32(p.Key)
	if s == nil || uint64(slot) >= uint64(len(s.entries)) || p.Key>>slotBits == 0 {
		return nil, Unknown
	}
	if s.lost.Load() {
		return nil, Lost
	}
	u.mark.at.Store(s.here(slot))
	e := &s.entries[slot]
	if e.key.Load() != p.Key {
		u.leave()
		if p.Key <= e.last.Load() {
			return nil, Withdrawn
		}
		return nil, Unknown
	}
	if bytes := e.bytes.Load(); p.Offset > bytes || n > bytes-p.Offset {
		u.leave()
		return nil, Beyond
	}
	at, room := e.offset.Load()+p.Offset, uint64(len(s.arena))
	if at > room || n > room-at { // another process has corrupted the entry
		u.leave()
		return nil, Beyond
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.arena)), at), None
}

// room returns the bytes of an exposure that the user has entered.
func (u User) room(s *Segment, key uint64) uint64 {
	e, arena := &s.entries[uint32(key)], uint64(len(s.arena))
	return min(e.bytes.Load(), arena-min(arena, e.offset.Load()))
}

func (u User) leave() { u.mark.at.Store(0) }

// left leaves, and returns a fault if the memory was withdrawn during the read: a withdrawal clears the memory after
// the key.
func (u User) left(s *Segment, p Place) Fault {
	u.leave()
	if s.entries[uint32(p.Key)].key.Load() != p.Key {
		return Withdrawn
	}
	return None
}

// Place is an address in the exposed memory of a process.
type Place struct{ Key, Offset uint64 }

// Fault is the reason to refuse an access.
type Fault uint8

// Faults.
const (
	None      Fault = iota
	Unknown         // the key was never used
	Withdrawn       // the memory was withdrawn
	Beyond          // the access ends beyond the exposure
	Lost            // the process is gone
	Odd             // a word does not begin at a multiple of 8
	faults
)

var faultTexts = [faults]string{
	None:      "it is good",
	Unknown:   "nothing was exposed there: addresses are those that Expose has returned, of the same job",
	Withdrawn: "it has been withdrawn",
	Beyond:    "it ends beyond what was exposed there",
	Lost:      "its process is lost or has finished",
	Odd:       "the offset of a word is a multiple of 8",
}

// FaultOf returns the fault of a number in wire format.
func FaultOf(n uint64) (Fault, bool) { return Fault(n), n < uint64(faults) }

func (f Fault) Error() string { return faultTexts[f] }
