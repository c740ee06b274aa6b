package sim

import (
	"slices"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// hidden holds the data of a rank's puts that is not yet visible: see Faults.Hide.
type hidden struct {
	puts    []*hiddenPut
	started uint64 // number of the latest operation
	fenced  uint64 // number of the latest operation before a fence
}

// hiddenPut is a finished put. It has a copy of the data, since the rank may reuse its own.
type hiddenPut struct {
	number uint64
	of     local.Operation
}

// arrive does an arrived operation, but hides a put without a later fence. The world is locked.
func (o *oneSided) arrive(res *outcome) exposed.Fault {
	w, op := o.rank.world, &res.of
	if w.faults.Hide == 0 {
		return w.exposure.perform(op)
	}
	o.reveal(func(h *hiddenPut) bool { return meets(&h.of, op) }) // the rank may have seen its completion
	if op.Kind != local.Put || res.fenced <= o.hidden.fenced {
		return w.exposure.perform(op)
	}
	look := *op
	look.Kind, look.Data = local.Get, make([]byte, len(op.Data))
	if fault := w.exposure.perform(&look); fault != exposed.None {
		return fault
	}
	put := &hiddenPut{res.fenced, *op}
	put.of.Data, put.of.Completion = slices.Clone(op.Data), nil
	o.hidden.puts = append(o.hidden.puts, put)
	res.fenced = 0
	w.plan(w.now+instantOf(w.faults.Hide), func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		o.reveal(func(h *hiddenPut) bool { return h == put })
	})
	return exposed.None
}

// meets reports whether two operations overlap.
func meets(a, b *local.Operation) bool {
	return a.Key == b.Key && a.Offset < b.Offset+uint64(b.Bytes()) && b.Offset < a.Offset+uint64(a.Bytes())
}

// reveal makes some of the hidden puts visible, in the order of their arrival. The world is locked.
func (o *oneSided) reveal(which func(h *hiddenPut) bool) {
	w := o.rank.world
	o.hidden.puts = slices.DeleteFunc(o.hidden.puts, func(h *hiddenPut) bool {
		if !which(h) {
			return false
		}
		_ = w.exposure.perform(&h.of) // fails if the memory was withdrawn meanwhile
		o.tell(outcome{at: max(w.now, o.rank.clock), fenced: h.number, of: local.Operation{Address: h.of.Address}})
		return true
	})
}

// revealAll is a fence: earlier puts become visible, and puts in flight will be visible when they arrive.
func (o *oneSided) revealAll() {
	w := o.rank.world
	if w.faults.Hide == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o.hidden.fenced = o.hidden.started
	o.reveal(func(*hiddenPut) bool { return true })
}
