package trace

import "time"

// Rank records the events of one rank. Its methods are for the rank's goroutine. They take a few nanoseconds, allocate
// nothing and never wait. They may be called even after the file has been closed.
type Rank struct {
	ring
	sampler
	tracks tracks // the drainer's
	pushed func() // called after each event of a simulated job; else nil
}

// Slice records an event with a duration, at its end. Times are on the job's clock. The meaning of a and b depends on
// the kind. Record events of frequent kinds only if [Rank.Sampled] has chosen them.
func (r *Rank) Slice(kind Kind, name Name, begin, end time.Duration, a, b uint64) {
	if e := r.slot(); e != nil {
		*e = event{begin, end, a, b, name, r.weight(kind), kind, false}
		r.push()
	}
}

// Instant records an event without a duration. See [Rank.Slice].
func (r *Rank) Instant(kind Kind, name Name, at time.Duration, a, b uint64) {
	if e := r.slot(); e != nil {
		*e = event{at, at, a, b, name, r.weight(kind), kind, true}
		r.push()
	}
}

// push publishes the event in the slot.
func (r *Rank) push() {
	r.ring.push()
	if r.pushed != nil {
		r.pushed()
	}
}

// weight returns the weight of an event recorded now.
func (r *Rank) weight(kind Kind) uint32 {
	if kind.Frequent() {
		return r.stands
	}
	return 1
}
