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
	*core[V]
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

func (p *plain[V]) scatter(_ *scratch[V], vs []V, _ []uint64, lanes []uint32, inHandler bool) {
	for {
		if p.MixedDepths() {
			for _, l := range lanes {
				p.splitByDepth(int(l), inHandler)
			}
		}
		put, full := coalesce.Scatter(p.Lanes, lanes, vs)
		if full < 0 {
			return
		}
		p.full(full, inHandler)
		vs, lanes = vs[put:], lanes[put:]
	}
}

func (p *plain[V]) keep(_ *scratch[V], vs []V, _ []uint64, inHandler bool) {
	if p.MixedDepths() {
		p.splitByDepth(p.Plan.Self, inHandler)
	}
	for _, v := range vs {
		coalesce.Put(p.Own(), v)
		if p.Own().Full() {
			p.full(p.Plan.Self, inHandler)
		}
	}
}

// splitByDepth makes sure that a lane holds no pebbles of another depth than those that are being put.
func (p *plain[V]) splitByDepth(l int, inHandler bool) {
	p.SplitByDepth(l)
	if inHandler {
		p.SplitQueue()
	}
}

// full makes room in a lane: it sends the lane's frame, or lets it grow, or finds a first frame for a lane without one.
// The main function's side may wait here, and let handlers run, which use the same lanes.
func (p *plain[V]) full(l int, inHandler bool) {
	switch {
	case l == p.Plan.Self:
		p.enqueue()
	case p.HasFrame(l):
		p.SendFull(l, !inHandler)
	default:
		v := p.spill[l] // waits outside of the lane meanwhile
		p.Lanes[l].Reset()
		p.Supply(l, 1, !inHandler)
		coalesce.Put(&p.Lanes[l], v)
		if p.Lanes[l].Full() {
			p.full(l, inHandler)
		}
	}
}

// enqueue is full for the queue's lane.
func (p *plain[V]) enqueue() {
	if !p.HasQueue() {
		v := p.spill[len(p.spill)-1]
		p.Enqueue(1)
		coalesce.Put(p.Own(), v)
	}
	if p.Own().Full() {
		p.SealQueue()
	}
}

func (p *plain[V]) arrived(f *netio.Frame, home bool) error {
	n := int(f.Count)
	if int(f.Bytes) != n*p.Unit {
		return fmt.Errorf("it holds %d bytes for %d pebbles of %d bytes", f.Bytes, n, p.Unit)
	}
	vs := coalesce.View[V](f.Base(), n)
	if home {
		p.run(vs)
	} else {
		p.sort(vs)
	}
	return nil
}
