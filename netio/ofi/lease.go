package ofi

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// A process needs a lease to read and write exposed memory of another process over the fabric. It asks for a lease at
// its first operation on an exposure, and gets the fabric's key, or the reason of a refusal. Before the owner withdraws
// the memory, it revokes all its leases and waits until their holders have ended their operations. So the fabric never
// sees an invalid key, which would make providers break the connection.
//
// A fabric need not keep the order of packets. A process has one open question for a key at a time, and keeps the lease
// until the answer. So a note's key identifies its subject, whatever the note has overtaken.

// lease is this process's access to exposed memory of another process.
type lease struct {
	granted   bool
	revoked   bool // possibly before it is granted
	elsewhere bool // not registered; TCP serves it
	bytes     uint64
	at, key   uint64
	open      int         // transfers
	waiting   []*transfer // transfers that wait for the grant
}

// exposures are the exposures of this process and the holders of their leases, by key. Where no limit was set, they
// include only requested ones.
type exposures struct {
	w   *Way
	all map[uint64]*exposure
}

type exposure struct {
	region  region
	pinned  bool
	asked   bool  // a lease was requested: the memory is pinned, or could not be
	kept    int64 // bytes reserved for it until then
	going   bool  // withdrawal in progress
	holders map[int]bool
}

func (e *exposures) init() { e.all = make(map[uint64]*exposure) }

func (e *exposures) guard(w *Way) {
	e.w = w
	if !w.cuts {
		w.line.Space().Guard(e)
	}
}

// Allow implements [exposed.Guard].
func (e *exposures) Allow(key uint64, bytes int) error {
	w := e.w
	if w.options.Pinned == 0 {
		return nil // memory that cannot be pinned is reached over TCP
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := w.pinned.left(); int64(bytes) > left {
		return pinnedError{bytes: bytes, left: left, limit: w.pinned.limit}
	}
	e.at(key).kept = int64(bytes)
	w.pinned.kept += int64(bytes)
	return nil
}

// at returns the exposure of a key.
func (e *exposures) at(key uint64) *exposure {
	x := e.all[key]
	if x == nil {
		x = &exposure{holders: make(map[int]bool)}
		e.all[key] = x
	}
	return x
}

// register registers memory on the first request, if possible.
func (x *exposure) register(w *Way, mem []byte) {
	x.asked = true
	x.free(w)
	r, err := w.pinned.register(mem)
	if err != nil {
		w.complain()
		return
	}
	x.region, x.pinned = r, true
}

// free releases the reserved room.
func (x *exposure) free(w *Way) {
	w.pinned.kept -= x.kept
	x.kept = 0
}

// Revoke implements [exposed.Guard]. It returns when no other process uses the memory, or will.
func (e *exposures) Revoke(key uint64) {
	w := e.w
	w.mu.Lock()
	x := e.at(key)
	x.going = true
	for process := range x.holders {
		p := w.peers[process]
		p.say(note{kind: revoke, key: key})
		p.flush()
	}
	for sleep := time.Duration(0); len(x.holders) > 0 && !w.closed; {
		some := w.advance()
		w.flushLinks()
		w.unlock()
		if some {
			sleep = 0
			runtime.Gosched()
		} else {
			sleep = min(2*sleep+time.Microsecond, sleepMax)
			time.Sleep(sleep)
		}
		w.mu.Lock()
	}
	if x.pinned && !w.closed {
		w.pinned.deregister(x.region)
		x.pinned = false
	}
	w.unlock()
}

// Withdrawn implements [exposed.Guard].
func (e *exposures) Withdrawn(key uint64) {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	if x := e.all[key]; x != nil {
		x.free(e.w)
		delete(e.all, key)
	}
}

// forget removes a process that is over.
func (e *exposures) forget(process int) {
	for _, x := range e.all {
		delete(x.holders, process)
	}
}

// asked returns the answer to a process that asks for a lease.
func (e *exposures) asked(p *peer, key uint64) note {
	answer := note{kind: grant, key: key}
	if x := e.all[key]; x != nil && x.going {
		answer.fault = uint32(exposed.Withdrawn)
		return answer
	}
	mem, fault := p.w.line.Space().Exposed(key)
	if fault != exposed.None {
		answer.fault = uint32(fault)
		return answer
	}
	x := e.at(key)
	if !x.asked {
		x.register(p.w, mem)
	}
	x.holders[p.place.Process] = true
	if x.pinned { // otherwise it grants nothing
		answer.reference = reference{at: x.region.at(0), key: x.region.key, bytes: uint64(len(mem)), check: 1}
	}
	return answer
}

// handleNote handles a note. It ignores a note of a process that has ended.
func (w *Way) handleNote(p *peer, n note) error {
	if p.over.Load() {
		return nil
	}
	switch n.kind {
	case ask:
		p.say(w.exposures.asked(p, n.key))
	case grant:
		return p.granted(n)
	case revoke:
		if s := p.leases[n.key]; s != nil {
			s.revoked = true
			s.failWaiting(exposed.Withdrawn)
			p.answerRevocation(n.key, s)
		}
	case revoked:
		if x := w.exposures.all[n.key]; x != nil {
			delete(x.holders, p.place.Process)
		}
	default:
		return errPacket
	}
	return nil
}

// granted handles the answer to a question for a lease.
func (p *peer) granted(n note) error {
	s := p.leases[n.key]
	fault, ok := exposed.FaultOf(uint64(n.fault))
	if s == nil || s.granted || !ok {
		return errPacket
	}
	if fault != exposed.None || s.revoked { // a revocation was answered then
		delete(p.leases, n.key)
		s.failWaiting(fault)
		return nil
	}
	s.granted, s.elsewhere = true, n.check == 0
	s.at, s.key, s.bytes = n.at, n.reference.key, n.bytes
	all := s.waiting
	s.waiting = nil
	for _, t := range all {
		t.startUnder(s)
	}
	return nil
}

// failWaiting ends the transfers that wait for a useless grant.
func (s *lease) failWaiting(fault exposed.Fault) {
	for _, t := range s.waiting {
		t.finish(fault)
	}
	s.waiting = nil
}

// answerRevocation answers a revocation when nothing is in flight. A lease with a grant on its way waits for that.
func (p *peer) answerRevocation(key uint64, s *lease) {
	if !s.revoked || s.open > 0 {
		return
	}
	if s.granted {
		delete(p.leases, key)
	}
	p.say(note{kind: revoked, key: key})
}
