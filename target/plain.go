package target

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// plain carries pebbles of plain data as they lie in memory.
//
// A lane without a frame lies over one element of spill, so that putting a pebble needs no look at whether there is a
// frame: the lane is full at once, and full then finds the frame.
type plain[V any] struct {
	core  *core[V]
	spill []V // by lane, and one more for the queue
}

func (p *plain[V]) blanks(lanes int) []coalesce.Lane {
	p.spill = make([]V, lanes+1)
	blanks := make([]coalesce.Lane, lanes+1)
	for l := range blanks {
		blanks[l] = coalesce.NewLane(unsafe.Pointer(&p.spill[l]), 1)
	}
	return blanks
}

func (p *plain[V]) scatter(_ *scratch[V], vs []V, lanes []uint32, inHandler bool) {
	if p.core.out.MaxUnits == 1 {
		p.alone(vs, lanes, inHandler)
		return
	}
	if len(vs) <= few {
		for i, v := range vs {
			p.put(v, int(lanes[i]), inHandler)
		}
		return
	}
	for {
		if p.core.mixedDepths() {
			for _, l := range lanes {
				p.splitByDepth(int(l), inHandler)
			}
		}
		put, full := coalesce.Scatter(p.core.out.Lanes, lanes, vs)
		if full < 0 {
			return
		}
		p.full(full, inHandler)
		vs, lanes = vs[put:], lanes[put:]
	}
}

// alone is scatter where frames hold one pebble: each leaves at once, so that no lane has a frame before.
func (p *plain[V]) alone(vs []V, lanes []uint32, inHandler bool) {
	out := &p.core.out
	for i, v := range vs {
		l := int(lanes[i])
		if l == out.Plan.Self {
			p.put(v, l, inHandler)
			continue
		}
		if !inHandler {
			awaitBudget(p.core, 1)
		}
		out.Attach(l, 1)
		coalesce.Put(&out.Lanes[l], v)
		out.SendFull(l)
		p.core.awaitCredit(l, inHandler)
	}
}

func (p *plain[V]) keep(_ *scratch[V], vs []V, _ []uint64, inHandler bool) {
	for _, v := range vs {
		p.put(v, p.core.out.Plan.Self, inHandler)
	}
}

// few is up to how many pebbles cost less one by one than the loops for many, which have to begin and to end.
const few = 4

// put puts one pebble into a lane.
func (p *plain[V]) put(v V, l int, inHandler bool) {
	if p.core.mixedDepths() {
		p.splitByDepth(l, inHandler)
	}
	lane := &p.core.out.Lanes[l]
	coalesce.Put(lane, v)
	if lane.Full() {
		p.full(l, inHandler)
	}
}

// splitByDepth makes sure that a lane holds no pebbles of another depth than those that are being put.
func (p *plain[V]) splitByDepth(l int, inHandler bool) {
	p.core.out.SplitByDepth(l)
	if inHandler {
		p.core.out.SplitQueue()
	}
}

// full makes room in a lane: it sends the lane's frame, or lets it grow, or finds a first frame for a lane without one.
// The main function's side may wait here, and let handlers run, which use the same lanes.
func (p *plain[V]) full(l int, inHandler bool) {
	if l == p.core.out.Plan.Self {
		p.enqueue()
		return
	}
	left, empty := p.core.out.SendFull(l)
	if empty {
		v := p.spill[l] // waits outside of the lane meanwhile
		p.core.out.Lanes[l].Reset()
		p.core.supply(l, 1, inHandler)
		coalesce.Put(&p.core.out.Lanes[l], v)
		if !p.core.out.Lanes[l].Full() {
			return
		}
		left, _ = p.core.out.SendFull(l)
	}
	if left {
		p.core.awaitCredit(l, inHandler)
	}
}

// enqueue is full for the queue's lane.
func (p *plain[V]) enqueue() {
	if !p.core.out.HasQueue() {
		v := p.spill[len(p.spill)-1]
		p.core.out.Enqueue(1)
		coalesce.Put(p.core.out.Own(), v)
	}
	if p.core.out.Own().Full() {
		p.core.out.SealQueue()
	}
}

func (p *plain[V]) arrived(f *netio.Frame, home bool) error {
	n := int(f.Count)
	if int(f.Bytes) != n*p.core.out.Unit {
		return fmt.Errorf("it holds %d bytes for %d pebbles of %d bytes", f.Bytes, n, p.core.out.Unit)
	}
	vs := netio.Values[V](f, n)
	if home {
		p.core.run(vs)
	} else {
		p.core.sort(vs)
	}
	return nil
}
