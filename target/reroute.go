package target

import "github.com/activepebbles/pebbles/netio"

// reroute renews the plan when links were marked, and takes the pebbles that wait for links which are down back through the
// door, to other lanes: those in buffers and those of frames that wait for credit (Active Pebbles, section 3.4: dynamic
// routing). again does it with the pebbles of one frame, as if it had just arrived.
func (o *outbox) reroute(again func(f *netio.Frame) error) error {
	if !o.plan.Stale() {
		return nil
	}
	if err := o.plan.Renew(); err != nil {
		return err
	}
	var all netio.Frames // they come out before any goes back in: marks may change again meanwhile, and lead it to the same lane
	for l := range o.lanes {
		if l == o.plan.Self || o.plan.Link(l) {
			continue
		}
		for f := o.withdraw(l); f != nil; f = o.withdraw(l) {
			all.Push(f)
		}
	}
	for f := all.Shift(); f != nil; f = all.Shift() {
		if err := o.rescue(f, again); err != nil {
			return err
		}
	}
	return nil
}

// withdraw takes one frame back from a lane: one of its backlog, or the one that it fills.
func (o *outbox) withdraw(l int) *netio.Frame {
	if o.waits(l) {
		o.handed(l)
		return o.shift(l)
	}
	f := o.frames[l]
	if f == nil {
		return nil
	}
	n := o.lanes[l].Len()
	f.Count, f.Bytes = uint32(n), uint32(n*o.unit)
	if o.counts != nil {
		f.Count = uint32(o.counts[l])
		o.counts[l] = 0
	}
	o.frames[l] = nil
	o.lanes[l] = o.blank(l)
	o.door.Withdraw(f)
	return f
}

func (o *outbox) rescue(f *netio.Frame, again func(f *netio.Frame) error) error {
	count := o.door.Count()
	forwarded := count.Forwarded
	before := o.door.Handle(0)
	o.door.Handling(f.Flags)
	err := again(f)
	o.door.Handled(before)
	count.Rescued += count.Forwarded - forwarded
	count.Forwarded = forwarded
	f.Release()
	return err
}
