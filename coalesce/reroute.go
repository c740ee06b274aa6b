package coalesce

import "github.com/activepebbles/pebbles/netio"

// Reroute renews the plan after links were marked. It takes back the frames that wait for links which are down, in
// lanes or for credit (Active Pebbles, section 3.4: dynamic routing). The caller puts their pebbles into other lanes.
// All frames come out before any pebble goes back in: marks may change meanwhile, and lead the pebble to the same lane.
func (o *Outbox) Reroute() (back netio.Frames, err error) {
	if !o.Plan.Stale() {
		return back, nil
	}
	if err := o.Plan.Renew(); err != nil {
		return back, err
	}
	for l := range o.lanes {
		if l == o.Plan.Self || o.Plan.Link(l) {
			continue
		}
		for f := o.withdraw(l); f != nil; f = o.withdraw(l) {
			back.Push(f)
		}
	}
	o.pump() // lanes that lost their backlog no longer wait, though no credit may come for them
	return back, nil
}

// withdraw takes one frame back from a lane: one of its backlog, or the frame that it fills.
func (o *Outbox) withdraw(l int) *netio.Frame {
	if o.Waits(l) {
		return o.shift(l)
	}
	if o.frames[l] == nil {
		return nil
	}
	return o.takeFrame(l)
}
