package sim

import (
	"slices"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// Where frames leave in batches, acks of releases do, too, as over TCP. Acks travel with the next frame that the rank
// sends to the same process, or else in their own batch. A rank that waits sends all its pending acks. A rank that
// pauses, or has called Recv or Send inflight.PromptLookEvery times, sends them only if a sender asked for a prompt
// ack. A rank that calls either sends the ack of a release at most batchTime later.

// pendingAcks are the unsent acks of a rank, which has released these frames of other processes.
type pendingAcks struct {
	of    map[*Process]*ackList
	order []*ackList // nonempty lists, in the order of their first acks
	asked bool       // includes a prompt ack
	until instant    // departure of all of them
	calls int        // calls of Recv and Send while acks are pending
}

// ackList are the acks for one process.
type ackList struct {
	class class
	acks  []ack
}

// ack returns a frame to its rank.
type ack struct {
	frame *netio.Frame
	owner *rank
}

// deferAck keeps the ack of a release until it is sent. The world is locked, and the rank runs.
func (r *rank) deferAck(k class, l ack) {
	if r.batches.open(r.clock, l.owner.process) {
		r.sendAck(k, l, 0)
		return
	}
	o := &r.pending
	if o.of == nil {
		o.of = map[*Process]*ackList{}
	}
	d := o.of[l.owner.process]
	if d == nil {
		d = &ackList{class: k}
		o.of[l.owner.process] = d
	}
	if len(o.order) == 0 {
		o.until = r.clock + batchTime
	}
	if len(d.acks) == 0 {
		o.order = append(o.order, d)
	}
	d.acks = append(d.acks, l)
	o.asked = o.asked || l.owner.prompt[l.frame]
}

// sendAck sends an ack. Its receiver pays for it.
func (r *rank) sendAck(k class, l ack, pays instant) {
	delete(l.owner.prompt, l.frame)
	l.owner.expect(returning{at: r.clock + r.world.charges.latency[k], frame: l.frame, from: r.process, pays: pays})
}

// sendAcksWith adds the acks for a process to an open batch. The world is locked.
func (r *rank) sendAcksWith(to *Process) {
	o := &r.pending
	d := o.of[to]
	if d == nil || len(d.acks) == 0 {
		return
	}
	r.sendList(d, 0)
	i := slices.Index(o.order, d)
	o.order = slices.Delete(o.order, i, i+1)
	o.asked = o.asked && len(o.order) > 0
}

// sendAllAcks sends all acks, in one batch per process, which costs both ends. The world is locked.
func (r *rank) sendAllAcks() {
	o := &r.pending
	for _, d := range o.order {
		price := r.world.charges.batch[d.class]
		r.clock += price
		r.sendList(d, price)
	}
	o.order, o.asked = o.order[:0], false
}

// sendList sends all acks for one process. Its receiver pays once.
func (r *rank) sendList(d *ackList, pays instant) {
	for _, l := range d.acks {
		r.sendAck(d.class, l, pays)
		pays = 0
	}
	d.acks = d.acks[:0]
}

// sendPromptAcks sends all acks if one of them is prompt. The world is locked.
func (r *rank) sendPromptAcks() {
	if r.pending.asked {
		r.sendAllAcks()
	}
}

// sendLateAcks sends all acks if they have waited too long. Now and then, it also sends them if one of them is prompt.
// The world is locked.
func (r *rank) sendLateAcks() {
	o := &r.pending
	if len(o.order) == 0 {
		return
	}
	if o.calls++; r.clock > o.until || o.asked && o.calls%inflight.PromptLookEvery == 0 {
		r.sendAllAcks()
	}
}

// inFlight counts the frames in flight from one process to another.
type inFlight struct {
	frames int
	prompt inflight.Prompter
}

// trackSent counts a frame that leaves in a batch, and records whether it asks for a prompt ack. The world is locked.
func (r *rank) trackSent(f *netio.Frame, to *Process) {
	if r.process.inFlight == nil {
		r.process.inFlight = map[*Process]*inFlight{}
	}
	p := r.process.inFlight[to]
	if p == nil {
		p = &inFlight{}
		r.process.inFlight[to] = p
	}
	p.frames++
	if p.prompt.Next(p.frames) {
		if r.prompt == nil {
			r.prompt = map[*netio.Frame]bool{}
		}
		r.prompt[f] = true
	}
}
