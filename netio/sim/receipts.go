package sim

import (
	"slices"

	"github.com/activepebbles/pebbles/netio"
)

// Where frames leave in batches, so does word of their release: it travels with what its rank sends to the same process anyway, or is a
// batch of its own, as package netio has it. A rank that waits tells all that it has released. One that pauses, or looks so often, does
// only when that is asked for promptly: of frames under way to a process, each promptMax-th is, and one in promptShare. Nothing is told
// later than batchTime after the release that its rank has told nobody of, as far as the rank looks or sends.
const (
	promptShare      = 4
	promptMax        = 64
	looksUntilPrompt = 16
)

// receipts are of frames of other processes that a rank has released, and told nobody of.
type receipts struct {
	of    map[*Process]*debt
	order []*debt // those with receipts, by their first ones
	asked bool    // some are to be told promptly
	until instant // when all leave
	looks int
}

// debt is what one process is to be told.
type debt struct {
	class class
	loans []loan
}

// loan is a frame that its rank gets back.
type loan struct {
	frame *netio.Frame
	owner *rank
}

// owe keeps word of a release until it travels. The world is locked, and the rank runs.
func (r *rank) owe(k class, l loan) {
	if r.batches.open(r.clock, l.owner.process) {
		r.tell(k, l, 0)
		return
	}
	o := &r.receipts
	if o.of == nil {
		o.of = map[*Process]*debt{}
	}
	d := o.of[l.owner.process]
	if d == nil {
		d = &debt{class: k}
		o.of[l.owner.process] = d
	}
	if len(o.order) == 0 {
		o.until = r.clock + batchTime
	}
	if len(d.loans) == 0 {
		o.order = append(o.order, d)
	}
	d.loans = append(d.loans, l)
	o.asked = o.asked || l.owner.prompt[l.frame]
}

// tell lets word of a release be on its way. Its reader pays for it.
func (r *rank) tell(k class, l loan, pays instant) {
	delete(l.owner.prompt, l.frame)
	l.owner.expect(comeback{at: r.clock + r.world.charges.latency[k], frame: l.frame, from: r.process, pays: pays})
}

// tellWith lets word travel with a batch that has opened. The world is locked.
func (r *rank) tellWith(to *Process) {
	o := &r.receipts
	d := o.of[to]
	if d == nil || len(d.loans) == 0 {
		return
	}
	r.settle(d, 0)
	i := slices.Index(o.order, d)
	o.order = slices.Delete(o.order, i, i+1)
	o.asked = o.asked && len(o.order) > 0
}

// tellAll lets all word go, to each process in a batch of its own, which costs both ends. The world is locked.
func (r *rank) tellAll() {
	o := &r.receipts
	for _, d := range o.order {
		price := r.world.charges.batch[d.class]
		r.clock += price
		r.settle(d, price)
	}
	o.order, o.asked = o.order[:0], false
}

// settle tells a process all that it is to be told. It pays once.
func (r *rank) settle(d *debt, pays instant) {
	for _, l := range d.loans {
		r.tell(d.class, l, pays)
		pays = 0
	}
	d.loans = d.loans[:0]
}

// tellPrompt lets go what is asked for. The world is locked.
func (r *rank) tellPrompt() {
	if r.receipts.asked {
		r.tellAll()
	}
}

// tellLate lets go what has waited for too long, and now and then what is asked for. The world is locked.
func (r *rank) tellLate() {
	o := &r.receipts
	if len(o.order) == 0 {
		return
	}
	if o.looks++; r.clock > o.until || o.asked && o.looks%looksUntilPrompt == 0 {
		r.tellAll()
	}
}
