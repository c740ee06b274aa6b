package sim

import (
	"slices"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// hidden is what a rank's puts have written that is not visible yet: see Faults.Hide.
type hidden struct {
	puts    []*hiddenPut
	started uint64 // the number of the last operation that has begun
	fenced  uint64 // that of the last one that a fence came after
}

// hiddenPut is a put that is done. Its data is a copy: the rank has its own back.
type hiddenPut struct {
	number uint64
	of     local.Operation
}

// arrive does an operation that has arrived, but hides a put that no fence has come after. The world is locked.
func (o *oneSided) arrive(res *outcome) exposed.Fault {
	w, op := o.rank.world, &res.of
	if w.faults.Hide == 0 {
		return w.exposure.perform(op)
	}
	o.reveal(func(h *hiddenPut) bool { return meets(&h.of, op) }) // this rank may know that it is done
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

// meets reports whether two operations are of the same bytes.
func meets(a, b *local.Operation) bool {
	return a.Key == b.Key && a.Offset < b.Offset+uint64(b.Bytes()) && b.Offset < a.Offset+uint64(a.Bytes())
}

// reveal makes some of the hidden puts visible, in the order in which they have arrived. The world is locked.
func (o *oneSided) reveal(which func(h *hiddenPut) bool) {
	w := o.rank.world
	o.hidden.puts = slices.DeleteFunc(o.hidden.puts, func(h *hiddenPut) bool {
		if !which(h) {
			return false
		}
		_ = w.exposure.perform(&h.of) // what was withdrawn meanwhile nobody sees
		o.tell(outcome{at: max(w.now, o.rank.clock), fenced: h.number, of: local.Operation{Address: h.of.Address}})
		return true
	})
}

// revealAll is a fence: what was put before is visible, and what is still on its way will be when it arrives.
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
