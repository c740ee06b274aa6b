package trace

import "time"

// Rank is where one rank puts its events. Its methods are for one goroutine, the rank's; they take some nanoseconds,
// allocate nothing and never wait. They may be called until after the file has been closed.
type Rank struct {
	ring
	sampler
	tracks tracks // the drainer's
	pushed func() // comes after each event of a simulated job; nil elsewhere
}

// Slice tells of something that took time, when it has ended. Times are on the job's clock. What a and b are depends on
// the kind. Of frequent kinds, only tell of those that [Rank.Sampled] has chosen.
func (r *Rank) Slice(kind Kind, name Name, begin, end time.Duration, a, b uint64) {
	if e := r.slot(); e != nil {
		*e = event{begin, end, a, b, name, r.weight(kind), kind, false}
		r.push()
	}
}

// Instant tells of something that took no time. All else is as with [Rank.Slice].
func (r *Rank) Instant(kind Kind, name Name, at time.Duration, a, b uint64) {
	if e := r.slot(); e != nil {
		*e = event{at, at, a, b, name, r.weight(kind), kind, true}
		r.push()
	}
}

// push hands over the event in the slot.
func (r *Rank) push() {
	r.ring.push()
	if r.pushed != nil {
		r.pushed()
	}
}

// weight is for how many an event stands that is told of now.
func (r *Rank) weight(kind Kind) uint32 {
	if kind.Frequent() {
		return r.stands
	}
	return 1
}
