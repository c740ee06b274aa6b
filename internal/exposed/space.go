package exposed

import (
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Space has one process's own segment, and those of others that it has mapped.
type Space struct {
	process, users, entries int
	own                     atomic.Pointer[Segment]
	near                    []*Segment // of other processes, by process; nil if not mapped here

	guard Guard // nil for none; set before the first use

	mu     sync.Mutex // guards the fields below
	owner  *Owner
	others []*Segment // segments in near
}

// NewSpace makes the space of a process with the given number of users, and of exposures at a time. It reserves nothing
// before the first use.
func NewSpace(process, users, entries int) *Space {
	return &Space{process: process, users: users, entries: entries}
}

// Share makes the process expose memory of a segment that others map. Call it before the first use.
func (s *Space) Share(own *Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adopt(own)
}

// See adds the segment of another process as mapped here. Call it before the first use.
func (s *Space) See(other *Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = append(s.others, other)
	if n := other.process + 1; n > len(s.near) {
		s.near = append(s.near, make([]*Segment, n-len(s.near))...)
	}
	s.near[other.process] = other
}

func (s *Space) adopt(own *Segment) {
	s.owner = NewOwner(own)
	s.own.Store(own)
}

// Near returns the segment of a process; nil if it is not mapped here.
func (s *Space) Near(process int) *Segment {
	if process == s.process {
		return s.own.Load()
	}
	if uint(process) >= uint(len(s.near)) {
		return nil
	}
	return s.near[process]
}

// Own returns this process's segment, and reserves it if needed.
func (s *Space) Own() (*Segment, error) {
	if own := s.own.Load(); own != nil {
		return own, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner == nil {
		own, err := Reserve(s.process, Room(), s.users, s.entries)
		if err != nil {
			return nil, err
		}
		s.adopt(own)
	}
	return s.owner.own, nil
}

// roomMin is the smallest room of a segment, in bytes.
const roomMin = 1 << 30

// Room returns the default limit on the memory that a process may expose.
func Room() int64 { return max(roomMin, cpu.MemoryAvailable()) }

// Expose allocates memory of this process.
func (s *Space) Expose(n int) (key uint64, memory []byte, err error) {
	if _, err := s.Own(); err != nil {
		return 0, nil, err
	}
	owner, others := s.parts()
	key, memory, err = owner.Expose(n, others)
	if err != nil || s.guard == nil {
		return key, memory, err
	}
	if err := s.guard.Allow(key, n); err != nil {
		_ = owner.Withdraw(key, others) // no other process has its key
		return 0, nil, err
	}
	return key, memory, nil
}

// Withdraw withdraws the memory of a key.
func (s *Space) Withdraw(key uint64) Fault {
	owner, others := s.parts()
	if owner == nil {
		return Unknown
	}
	if s.guard != nil {
		s.guard.Revoke(key)
		defer s.guard.Withdrawn(key)
	}
	return owner.Withdraw(key, others)
}

// Guard controls other access paths into exposed memory. Expose and Withdraw call its methods.
type Guard interface {
	// Allow may refuse an exposure of the given number of bytes under a new key.
	Allow(key uint64, bytes int) error
	// Revoke returns when no other process accesses the memory of a key over the guard's paths, or will. The key may be
	// bad. Withdrawn reports that it is no longer valid.
	Revoke(key uint64)
	Withdrawn(key uint64)
}

// Guard sets the guard, before the first use.
func (s *Space) Guard(g Guard) { s.guard = g }

// Exposed returns the memory of a key.
func (s *Space) Exposed(key uint64) ([]byte, Fault) {
	owner, _ := s.parts()
	if owner == nil {
		return nil, Unknown
	}
	return owner.exposed(key)
}

func (s *Space) parts() (*Owner, []*Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner, s.others
}

// Drop frees the memory at the end, after the last use.
func (s *Space) Drop() {
	if owner, _ := s.parts(); owner != nil {
		owner.Drop()
	}
}
