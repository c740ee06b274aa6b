package engine

import (
	"time"

	"github.com/activepebbles/pebbles/coalesce"
)

// dispatcher is TRAM's periodic dispatch: once a period it looks whether anything was sent or arrived since the last
// look, and when there was nothing it sends all buffers, so that pebbles on whose delivery others depend are not held
// up (TRAM, section III.D).
type dispatcher struct {
	next time.Duration // of the look
	seen uint64        // pebbles sent and frames received at the last look
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

func (r *Rank) dispatch(now time.Duration) {
	period := r.job.config.Period
	if period <= 0 || now < r.dispatcher.next {
		return
	}
	moved := r.Count.PebblesSent + r.Count.FramesReceived
	if moved == r.dispatcher.seen {
		r.Flush(coalesce.Periodic, coalesce.AllStages)
	}
	r.dispatcher = dispatcher{next: now + period, seen: moved}
}
