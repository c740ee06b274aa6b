package engine

import (
	"time"

	"github.com/activepebbles/pebbles/coalesce"
)

// pace is how often a rank that is busy looks at the clock, to send buffers that are due: a fast sender reads it
// rarely, a slow one every time.
//
// It also keeps TRAM's periodic dispatch: once a period a rank looks whether anything was sent or arrived since the
// last look, and when there was nothing it sends all buffers, so that pebbles on whose delivery others depend are not
// held up (TRAM, section III.D).
type pace struct {
	longest time.Duration // the shorter of the times after which buffers leave; 0 when there is none
	every   int           // pieces of work between two looks at the clock
	left    int           // of them
	last    time.Duration // look

	period time.Duration // of dispatch; not positive is never
	next   time.Duration // look of dispatch
	moved  uint64        // pebbles sent and frames received at the last one
}

// everyMax bounds the pieces of work between two looks.
const everyMax = 1024

func newPace(c *Config) pace {
	p := pace{longest: tick(c.Due, c.Period), period: c.Period}
	if p.longest <= 0 { // nothing is due: looks are for those who watch
		p.every, p.left = everyMax, everyMax
	}
	return p
}

// tick is the shorter of two times, of which those that are not positive mean never.
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

// looked notes what the clock said, so that the next look comes about a quarter of longest later.
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

// dispatch sends all buffers when nothing has moved for a period.
func (r *Rank) dispatch(now time.Duration) {
	p := &r.pace
	if p.period <= 0 || now < p.next {
		return
	}
	moved := r.Count.PebblesSent + r.Count.FramesReceived
	if moved == p.moved {
		r.Flush(coalesce.Periodic, coalesce.AllStages)
	}
	p.next, p.moved = now+p.period, moved
}
