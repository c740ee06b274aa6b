package idle

import (
	"sync/atomic"
	"time"
)

// Parking is the place where one goroutine waits for others. The goroutine announces that it parks, and then looks for
// work a last time. A goroutine that makes work looks for the announcement afterwards, so at least one of the two sees
// the other:
//
//	waiting goroutine           other goroutines
//	  Announce                    make work
//	  look for work               Notify
//	  none: Sleep, else: Leave
type Parking struct {
	parked atomic.Bool
	signal chan struct{} // capacity 1: a wake-up that the goroutine has not seen
	timer  *time.Timer
	before func() // set by tests, called before an announcement; else nil
}

// NewParking returns a Parking. It must not be copied after its first use.
func NewParking() Parking { return Parking{signal: make(chan struct{}, 1)} }

// Announce announces that the goroutine is about to sleep.
func (p *Parking) Announce() {
	p.BeforeAnnouncement()
	p.parked.Store(true)
}

// BeforeAnnouncement calls a test's function that makes work between a look and an announcement, where a wake-up could
// be lost. An owner that also announces elsewhere calls it there, after the last look.
func (p *Parking) BeforeAnnouncement() {
	if p.before != nil {
		p.before()
	}
}

// Once registers a test's function. It is called once, before an announcement, after the given number of others.
func (p *Parking) Once(after int, f func()) {
	p.before = func() {
		if after--; after < 0 {
			p.before = nil
			f()
		}
	}
}

// Leave withdraws the announcement.
func (p *Parking) Leave() { p.parked.Store(false) }

// Announced reports whether the goroutine sleeps or is about to, and has not been woken.
func (p *Parking) Announced() bool { return p.parked.Load() }

// Sleep blocks until the goroutine is woken or d has passed, and withdraws the announcement. A negative d means no
// limit. It reports whether the goroutine was woken.
func (p *Parking) Sleep(d time.Duration) (woken bool) {
	defer p.Leave()
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

// Woken reports whether the next Sleep would end immediately. It costs one load.
func (p *Parking) Woken() bool { return len(p.signal) > 0 }

// Notify wakes the goroutine if it has announced itself and has not been woken. Any goroutine may call it. Without an
// announcement it costs one load.
func (p *Parking) Notify() {
	if p.parked.Load() && p.parked.CompareAndSwap(true, false) {
		p.Wake()
	}
}

// Wake ends the current Sleep, or the next one. Any goroutine may call it.
func (p *Parking) Wake() {
	select {
	case p.signal <- struct{}{}:
	default:
	}
}
