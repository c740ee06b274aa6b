package ofi

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// A process reads and writes exposed memory of another by the fabric under a lease. It asks for one at its first operation on what was exposed at once, and
// is granted the fabric's key, or the reason why not. Before that is withdrawn, the owner revokes all leases of it, and waits until their holders have ended
// their operations. So the fabric meets no key that is not good, which providers answer by breaking the connection.

// lease is what this process may do with exposed memory of another.
type lease struct {
	granted bool
	revoked bool
	bytes   uint64
	at, key uint64
	open    int         // transfers
	waiting []*transfer // for the grant
}

// exposures are the leases that this process has granted, by the keys of what it has exposed.
type exposures struct {
	w   *Way
	all map[uint64]*exposure
}

type exposure struct {
	region  region
	pinned  bool
	going   bool // it is being withdrawn
	holders map[int]bool
}

func (e *exposures) init() { e.all = make(map[uint64]*exposure) }

func (e *exposures) begin(w *Way) {
	e.w = w
	w.tcp.Under(access).Space().Guard(e)
}

// Admit implements [exposed.Guard].
func (e *exposures) Admit(bytes int) error {
	w := e.w
	if w.options.Pinned == 0 {
		return nil // what can't be pinned is reached over TCP
	}
	if !w.mu.Lock(byRank) {
		return nil // the job ends
	}
	defer w.mu.Unlock()
	if left := w.pinned.limit - w.pinned.used; int64(bytes) > left {
		return pinnedError{bytes: bytes, left: left, limit: w.pinned.limit}
	}
	return nil
}

// Revoke implements [exposed.Guard]: it returns when no other process is in the memory, nor will be.
func (e *exposures) Revoke(key uint64) {
	w := e.w
	if !w.mu.Lock(byRank) {
		return
	}
	x := e.all[key]
	if x == nil {
		x = &exposure{}
		e.all[key] = x
	}
	x.going = true
	for process := range x.holders {
		l := w.links[process]
		l.say(note{kind: revoke, key: key})
		l.flush()
	}
	for nap := time.Duration(0); len(x.holders) > 0 && !w.closed; {
		some := w.advance()
		w.tell()
		w.unlock()
		if some {
			nap = 0
			runtime.Gosched()
		} else {
			nap = min(2*nap+time.Microsecond, napMax)
			time.Sleep(nap)
		}
		if !w.mu.Lock(byRank) {
			return
		}
	}
	if x.pinned && !w.closed {
		w.pinned.give(x.region)
		x.pinned = false
	}
	w.unlock()
}

// Withdrawn implements [exposed.Guard].
func (e *exposures) Withdrawn(key uint64) {
	if !e.w.mu.Lock(byRank) {
		return
	}
	defer e.w.mu.Unlock()
	delete(e.all, key)
}

// forget is told that a process is over.
func (e *exposures) forget(process int) {
	for _, x := range e.all {
		delete(x.holders, process)
	}
}

// asked answers a process that asks for a lease.
func (e *exposures) asked(l *link, key uint64) note {
	answer := note{kind: grant, key: key}
	x := e.all[key]
	if x != nil && x.going {
		answer.fault = uint32(exposed.Withdrawn)
		return answer
	}
	mem, fault := l.w.tcp.Under(access).Space().Exposed(key)
	if fault != exposed.None {
		answer.fault = uint32(fault)
		return answer
	}
	if x == nil {
		r, err := l.w.pinned.take(mem)
		if err != nil {
			l.w.complain()
			return answer // a grant of nothing: TCP serves it
		}
		x = &exposure{region: r, pinned: true, holders: make(map[int]bool)}
		e.all[key] = x
	}
	x.holders[l.place.Process] = true
	answer.reference = reference{at: x.region.at(0), key: x.region.key, bytes: uint64(len(mem)), check: 1}
	return answer
}

// heed takes in a note.
func (w *Way) heed(l *link, n note) error {
	switch n.kind {
	case ask:
		l.say(w.exposures.asked(l, n.key))
	case grant:
		return l.granted(n)
	case revoke:
		if s := l.leases[n.key]; s != nil {
			s.revoked = true
			l.leave(n.key, s)
		}
	case revoked:
		if x := w.exposures.all[n.key]; x != nil {
			delete(x.holders, l.place.Process)
		}
	default:
		return errPacket
	}
	return nil
}

// granted takes in the answer to the question for a lease.
func (l *link) granted(n note) error {
	s := l.leases[n.key]
	fault, ok := exposed.FaultOf(uint64(n.fault))
	if s == nil || s.granted || !ok {
		return errPacket
	}
	all := s.waiting
	s.waiting = nil
	if fault != exposed.None || n.check == 0 {
		delete(l.leases, n.key)
		for _, t := range all {
			if fault == exposed.None {
				t.finish(errElsewhere)
			} else {
				t.finish(fault)
			}
		}
		return nil
	}
	s.granted, s.at, s.key, s.bytes = true, n.at, n.reference.key, n.bytes
	for _, t := range all {
		t.begin(s)
	}
	return nil
}

// leave answers a revocation when nothing is under way any more.
func (l *link) leave(key uint64, s *lease) {
	if s.revoked && s.open == 0 {
		delete(l.leases, key)
		l.say(note{kind: revoked, key: key})
	}
}
