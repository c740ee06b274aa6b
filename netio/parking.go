package netio

import (
	"sync/atomic"
	"time"
)

// parking is where one goroutine waits for others. Before it sleeps it announces that it parks and then looks for work a
// last time; whoever makes work looks for that announcement afterwards, so one of the two sees the other:
//
//	the one that waits          the others
//	  announce                    make work
//	  look for work               notify
//	  none: sleep, else: leave
type parking struct {
	parked atomic.Bool
	signal chan struct{} // capacity 1: a wake-up that was not yet seen
	timer  *time.Timer
	before func() // called before an announcement, by tests; else nil. To look costs nothing beside a sleep
}

func newParking() parking { return parking{signal: make(chan struct{}, 1)} }

func (p *parking) announce() {
	p.about()
	p.parked.Store(true)
}

// about lets tests make work between the last look and the announcement, where a wake-up would be lost that nobody looks for afterwards.
func (p *parking) about() {
	if p.before != nil {
		p.before()
	}
}

func (p *parking) leave() { p.parked.Store(false) }

// sleep blocks until somebody wakes the goroutine or d has passed (never, when negative), and leaves. It reports whether
// it was woken.
func (p *parking) sleep(d time.Duration) (woken bool) {
	defer p.leave()
	if d < 0 {
		<-p.signal
		return true
	}
	if p.timer == nil {
		p.timer = time.NewTimer(d)
	} else {
		p.timer.Reset(d)
	}
	select {
	case <-p.signal:
		p.timer.Stop()
		return true
	case <-p.timer.C:
		return false
	}
}

// woken tells whether the next sleep would end at once. It costs one load.
func (p *parking) woken() bool { return len(p.signal) > 0 }

// notify wakes the goroutine if it is parked and nobody has yet. Anybody may call it; it costs one load when there is
// nobody to wake.
func (p *parking) notify() {
	if p.parked.Load() && p.parked.CompareAndSwap(true, false) {
		p.wake()
	}
}

// wake ends the current sleep, or the next one. Anybody may call it.
func (p *parking) wake() {
	select {
	case p.signal <- struct{}{}:
	default:
	}
}
