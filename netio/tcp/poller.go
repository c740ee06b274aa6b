package tcp

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// poller serves the sockets of a process while its ranks don't: while all are parked, or at work elsewhere.
//
//	                          ranks look often
//	watching (blocked on the set) ──────────────► sleeping, for idle.PollerSleep at a time
//	                              ◄──────────────
//	      all are parked (the last one wakes the poller), or they look too seldom
//
// So while ranks look, arrivals wake no other goroutine.
type poller struct {
	t       *Transport
	parking idle.Parking
	awake   atomic.Int64 // ranks that are not parked
	room    int64        // awake ranks that leave a processor to others: all but one
	resting bool         // sleeping, not watching
	seen    uint64       // looks of all ranks when that last changed, or the last sleep began
	events  [eventsMax]readiness
}

const eventsMax = 16 // sockets served per look, at most

func (s *poller) run() {
	for !s.t.ended.Load() {
		if s.ranksLook() {
			s.rest()
		} else if err := s.watch(); err != nil && !s.t.ended.Load() {
			s.loseAll(err)
			return
		}
	}
}

// loseAll ends all peers: while ranks are parked, no goroutine would read their sockets.
func (s *poller) loseAll(err error) {
	for _, p := range s.t.others() {
		p.lose(err)
	}
}

// ranksLook reports whether ranks look.
func (s *poller) ranksLook() bool {
	looks := uint64(0)
	for _, p := range s.t.ports {
		looks += p.looks.Load()
	}
	ranksLook := looks-s.seen >= idle.PollerLooksMin && s.awake.Load() > 0 && !s.t.down.Load()
	if ranksLook || s.resting {
		s.seen = looks
	}
	s.resting = ranksLook
	return ranksLook
}

// crowded reports whether awake ranks take all processors.
func (s *poller) crowded() bool { return s.awake.Load() > s.room }

func (s *poller) rest() {
	s.parking.Announce()
	if s.awake.Load() == 0 || s.t.down.Load() {
		s.parking.Leave()
		return
	}
	s.parking.Sleep(idle.PollerSleep)
}

// watch blocks until the sockets have work, and does it.
func (s *poller) watch() error {
	if err := s.t.sockets.wait(); err != nil {
		return err
	}
	s.t.drain(s.events[:])
	return nil
}

// look serves the sockets that are ready, and returns their number. It reports whether it served any: what another
// goroutine reads at that moment is that goroutine's, even if it has lost its core.
func (t *Transport) look(events []readiness) (ready int, served bool) {
	ready = t.sockets.ready(events)
	for _, e := range events[:ready] {
		l := t.stream(e.number)
		if e.read && l.readable() {
			served = true
		}
		if e.write {
			l.writable()
			served = true
		}
	}
	return ready, served
}

// drain looks until it serves no socket, or has looked often.
func (t *Transport) drain(events []readiness) {
	for range idle.PollerDrainMax {
		if _, served := t.look(events); !served {
			return
		}
	}
}

// pulse is the goroutine that sends heartbeats, and loses silent peers. It counts the rounds whose own look found
// nothing new, and reads no clock: a process that was stopped for long must not complain about others.
func (t *Transport) pulse() {
	ticker := time.NewTicker(t.config.SilenceMax / silentRounds)
	defer ticker.Stop()
	p := t.newPulse()
	for {
		select {
		case <-t.over:
			return
		case <-ticker.C:
		}
		p.round()
	}
}

const silentRounds = 8 // in the time that a peer may be silent

// pulse is the state of that goroutine. A round allocates nothing.
type pulse struct {
	t          *Transport
	events     [eventsMax]readiness
	heartbeats *netio.Pool
}

func (t *Transport) newPulse() *pulse {
	return &pulse{t: t, heartbeats: netio.NewPool(nil)}
}

func (p *pulse) round() {
	p.t.drain(p.events[:])
	for _, other := range p.t.others() {
		for _, l := range other.streams {
			if l.polling.Load() {
				p.beat(l)
			}
		}
	}
}

func (p *pulse) beat(l *stream) {
	l.beat.listen(l, silentRounds)
	if l.beat.mustSpeak(l, silentRounds/4) {
		l.send(messageOf(p.heartbeats, heartbeat, ""))
	}
}

// beat is the state of a stream at the last round of its pulse.
type beat struct {
	heard, said  uint64
	silent, idle int // rounds without a read, or without a write
}

func (b *beat) listen(l *stream, rounds int) {
	if heard := l.heard.Load(); heard != b.heard || l.finished.Load() {
		b.heard, b.silent = heard, 0
		l.quiet.Store(false)
		return
	}
	b.silent++
	l.quiet.Store(b.silent >= rounds/2)
	if b.silent == rounds {
		l.peer.lose(l.silent(os.ErrDeadlineExceeded))
	}
}

func (b *beat) mustSpeak(l *stream, rounds int) bool {
	if said := l.said.Load(); said != b.said || l.stalled.Load() {
		b.said, b.idle = said, 0
		return false
	}
	if b.idle++; b.idle < rounds {
		return false
	}
	b.idle = 0
	return true
}
