package engine

import "time"

// pace is the rate at which a busy rank reads the clock, to send buffers that are due: a fast sender reads it rarely, a
// slow one every time.
type pace struct {
	longest time.Duration // the shorter of the times after which buffers leave; 0 for never
	every   int           // pieces of work between two reads of the clock
	left    int           // remaining pieces
	last    time.Duration // time of the last read
}

// everyMax bounds the pieces of work between two reads.
const everyMax = 1024

func newPace(due, period time.Duration) pace {
	p := pace{longest: tick(due, period)}
	if p.longest <= 0 { // nothing is due: reads are for observers
		p.every, p.left = everyMax, everyMax
	}
	return p
}

// tick returns the shorter of two times. A time that is not positive means never.
func tick(due, period time.Duration) time.Duration {
	switch {
	case due <= 0:
		return max(period, 0)
	case period <= 0:
		return due
	}
	return min(due, period)
}

// spend counts n pieces of work, and reports whether it is time to read the clock.
func (p *pace) spend(n int) bool {
	p.left -= n
	return p.left < 0
}

// looked records the time, so that the next read comes about a quarter of longest later.
func (p *pace) looked(now time.Duration) {
	switch passed := now - p.last; {
	case p.longest <= 0:
	case passed > p.longest/4:
		p.every /= 2
	case passed < p.longest/8:
		p.every = min(2*p.every+1, everyMax)
	}
	p.last = now
	p.left = p.every
}

// periodic is TRAM's periodic dispatch: once per period, a rank checks whether it has sent or received anything since
// the last check. If not, it sends all buffers, so that pebbles that others depend on are not held up (TRAM, section
// III.D).
type periodic struct {
	period time.Duration // not positive is never
	next   time.Duration // time of the next check
	moved  uint64        // pebbles sent and frames received at the last check
}

// due reports whether to send all buffers at the time now. moved is the number of pebbles sent and frames received.
func (p *periodic) due(now time.Duration, moved uint64) (due bool) {
	if p.period <= 0 || now < p.next {
		return false
	}
	due = moved == p.moved
	p.next, p.moved = now+p.period, moved
	return due
}
