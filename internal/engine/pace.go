package engine

import "time"

// pace is the rate at which a busy rank reads the clock, to send buffers that are due: a fast sender reads it rarely, a
// slow one every time.
type pace struct {
	longest time.Duration // the shorter of the times after which buffers leave; 0 when there is none
	every   int           // pieces of work between two looks at the clock
	left    int           // of them
	last    time.Duration // look
}

// everyMax bounds the pieces of work between two looks.
const everyMax = 1024

func newPace(due, period time.Duration) pace {
	p := pace{longest: tick(due, period)}
	if p.longest <= 0 { // nothing is due: looks are for those who watch
		p.every, p.left = everyMax, everyMax
	}
	return p
}

// tick is the shorter of two times. A time that is not positive means never.
func tick(due, period time.Duration) time.Duration {
	switch {
	case due <= 0:
		return max(period, 0)
	case period <= 0:
		return due
	}
	return min(due, period)
}

// spend notes n pieces of work, and reports whether it is time to read the clock.
func (p *pace) spend(n int) bool {
	p.left -= n
	return p.left < 0
}

// looked notes the time on the clock, so that the next look comes about a quarter of longest later.
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

// periodic is TRAM's periodic dispatch: once a period a rank looks whether it has sent or received anything since the
// last look. If not, it sends all buffers, so that pebbles on which others depend are not held up (TRAM, section
// III.D).
type periodic struct {
	period time.Duration // not positive is never
	next   time.Duration // look
	moved  uint64        // pebbles sent and frames received at the last one
}

// due reports whether all buffers are to be sent at the time now, when a rank has sent and received moved.
func (p *periodic) due(now time.Duration, moved uint64) (due bool) {
	if p.period <= 0 || now < p.next {
		return false
	}
	due = moved == p.moved
	p.next, p.moved = now+p.period, moved
	return due
}
