package sim

import "github.com/activepebbles/pebbles/netio"

// inFlight counts the frames in flight from one process to another.
type inFlight struct {
	frames int // sent and not yet released
	since  int // the last one that asked for a prompt ack
}

// sent counts a frame, and tells whether its release must be acknowledged promptly.
func (p *inFlight) sent() bool {
	p.frames++
	p.since++
	if p.since < promptMax && p.since*promptShare < p.frames {
		return false
	}
	p.since = 0
	return true
}

// trackSent counts a frame that leaves in a batch. The world is locked.
func (r *rank) trackSent(f *netio.Frame, to *Process) {
	all := &r.process.inFlight
	if *all == nil {
		*all = map[*Process]*inFlight{}
	}
	p := (*all)[to]
	if p == nil {
		p = &inFlight{}
		(*all)[to] = p
	}
	if p.sent() {
		if r.prompt == nil {
			r.prompt = map[*netio.Frame]bool{}
		}
		r.prompt[f] = true
	}
}
