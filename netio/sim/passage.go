package sim

import "github.com/activepebbles/pebbles/netio"

// passage is what is under way from a process to another one.
type passage struct {
	frames int // that have not come home
	since  int // the last one that is to be told of promptly
}

// enter counts a frame in, and tells whether its release is to be told promptly.
func (p *passage) enter() bool {
	p.frames++
	p.since++
	if p.since < promptMax && p.since*promptShare < p.frames {
		return false
	}
	p.since = 0
	return true
}

// embark counts a frame in that leaves in a batch. The world is locked.
func (r *rank) embark(f *netio.Frame, to *Process) {
	all := &r.process.passages
	if *all == nil {
		*all = map[*Process]*passage{}
	}
	p := (*all)[to]
	if p == nil {
		p = &passage{}
		(*all)[to] = p
	}
	if p.enter() {
		if r.prompt == nil {
			r.prompt = map[*netio.Frame]bool{}
		}
		r.prompt[f] = true
	}
}
