package exposed

import (
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Space is what one process sees: its own segment, and those of others that it has mapped.
type Space struct {
	process, users, entries int
	own                     atomic.Pointer[Segment]
	near                    []*Segment // of other processes, by process; nil for those that are not mapped here

	guard Guard // nil when there is none; set before the first use

	mu     sync.Mutex // guards what follows
	owner  *Owner
	others []*Segment // those of near that are there
}

// NewSpace makes that of a process, which has so many users, and so many exposures at a time. It reserves nothing
// before the first use.
func NewSpace(process, users, entries int) *Space {
	return &Space{process: process, users: users, entries: entries}
}

// Share has the process expose memory of a segment that others map. It comes before the first use.
func (s *Space) Share(own *Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adopt(own)
}

// See adds the segment of another process as it is mapped here, before the first use.
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

// Near is the segment of a process; nil when it is not mapped here.
func (s *Space) Near(process int) *Segment {
	if process == s.process {
		return s.own.Load()
	}
	if uint(process) >= uint(len(s.near)) {
		return nil
	}
	return s.near[process]
}

// Own is this process's segment. It is reserved now, if need be.
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

// roomMin is the least room of a segment, in bytes.
const roomMin = 1 << 30

// Room is how much memory a process may expose by default.
func Room() int64 { return max(roomMin, cpu.MemoryAvailable()) }

// Expose gives out memory of this process.
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
		_ = owner.Withdraw(key, others) // nobody has been told of it
		return 0, nil, err
	}
	return key, memory, nil
}

// Withdraw ends what was exposed by a key.
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

// Guard has given others ways of their own into exposed memory. Its methods are called by whoever exposes and
// withdraws.
type Guard interface {
	// Allow may refuse so many bytes that are to be exposed by a key, which nobody has been told yet.
	Allow(key uint64, bytes int) error
	// Revoke returns when no other process is in what is exposed by a key, or will be, by the guard's ways. The key
	// may be bad. Withdrawn says that it is good no more.
	Revoke(key uint64)
	Withdrawn(key uint64)
}

// Guard sets the guard, before the first use.
func (s *Space) Guard(g Guard) { s.guard = g }

// Exposed is what is exposed by a key.
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

// Drop gives the memory back at the end, when nobody uses it any more.
func (s *Space) Drop() {
	if owner, _ := s.parts(); owner != nil {
		owner.Drop()
	}
}
