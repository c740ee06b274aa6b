package target

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// plain carries pebbles of plain data as they lie in memory.
//
// A lane without a frame lies over one pebble of spill, so that putting a pebble needs no look at whether there is a
// frame: the lane is full at once, and full then finds the frame.
type plain struct {
	core  *core
	many  coalesce.Scatter
	spill unsafe.Pointer // by lane, and one more for the queue
	lanes int
}

func (p *plain) blanks(lanes int) []coalesce.Lane {
	e := &p.core.element
	p.spill, p.lanes, p.many = e.room(lanes+1), lanes, coalesce.ScatterOf(e.size)
	blanks := make([]coalesce.Lane, lanes+1)
	for l := range blanks {
		blanks[l] = coalesce.NewLane(e.index(p.spill, l), 1)
	}
	return blanks
}

func (p *plain) scatter(s *scratch, vs pebbles, lanes []uint32, inHandler bool) {
	e := &p.core.element
	if p.core.out.MaxUnits == 1 {
		p.alone(s, vs, lanes, inHandler)
		return
	}
	if vs.n <= few {
		for i := range vs.n {
			p.put(s, e.index(vs.at, i), int(lanes[i]), inHandler)
		}
		return
	}
	for {
		if p.core.mixedDepths() {
			for _, l := range lanes {
				p.splitByDepth(int(l), inHandler)
			}
		}
		put, full := p.many(p.core.out.Lanes, lanes, vs.at)
		if full < 0 {
			return
		}
		p.full(s, full, inHandler)
		vs, lanes = e.rest(vs, put), lanes[put:]
	}
}

// alone is scatter where frames hold one pebble: each leaves at once, so that no lane has a frame before.
func (p *plain) alone(s *scratch, vs pebbles, lanes []uint32, inHandler bool) {
	out, e := &p.core.out, &p.core.element
	for i := range vs.n {
		l := int(lanes[i])
		if l == out.Plan.Self {
			p.put(s, e.index(vs.at, i), l, inHandler)
			continue
		}
		if !inHandler {
			p.core.awaitBudget(1)
		}
		out.Attach(l, 1)
		coalesce.Move(out.Lanes[l].Append(e.size), e.index(vs.at, i), e.size)
		out.SendFull(l)
		p.core.awaitCredit(l, inHandler)
	}
}

func (p *plain) keep(s *scratch, vs pebbles, _ []uint64, inHandler bool) {
	for i := range vs.n {
		p.put(s, p.core.element.index(vs.at, i), p.core.out.Plan.Self, inHandler)
	}
}

// few is up to how many pebbles cost less one by one than the loops for many, which have to begin and to end.
const few = 4

// put puts one pebble into a lane.
func (p *plain) put(s *scratch, v unsafe.Pointer, l int, inHandler bool) {
	if p.core.mixedDepths() {
		p.splitByDepth(l, inHandler)
	}
	lane, size := &p.core.out.Lanes[l], p.core.element.size
	coalesce.Move(lane.Append(size), v, size)
	if lane.Full() {
		p.full(s, l, inHandler)
	}
}

// splitByDepth makes sure that a lane holds no pebbles of another depth than those that are being put.
func (p *plain) splitByDepth(l int, inHandler bool) {
	p.core.out.SplitByDepth(l)
	if inHandler {
		p.core.out.SplitQueue()
	}
}

// full makes room in a lane: it sends the lane's frame, or lets it grow, or finds a first frame for a lane without one.
// The main function's side may wait here, and let handlers run, which use the same lanes.
func (p *plain) full(s *scratch, l int, inHandler bool) {
	if l == p.core.out.Plan.Self {
		p.enqueue()
		return
	}
	left, empty := p.core.out.SendFull(l)
	if empty {
		if p.begin(s, l, inHandler); !p.core.out.Lanes[l].Full() {
			return
		}
		left, _ = p.core.out.SendFull(l)
	}
	if left {
		p.core.awaitCredit(l, inHandler)
	}
}

// begin gives a lane its first frame, and the pebble that it holds. That one waits aside meanwhile.
func (p *plain) begin(s *scratch, l int, inHandler bool) {
	e, lane := &p.core.element, &p.core.out.Lanes[l]
	coalesce.Move(s.aside, e.index(p.spill, l), e.size)
	lane.Reset()
	p.core.supply(l, 1, inHandler)
	coalesce.Move(lane.Append(e.size), s.aside, e.size)
}

// enqueue is full for the queue's lane.
func (p *plain) enqueue() {
	own, e := p.core.out.Own(), &p.core.element
	if !p.core.out.HasQueue() {
		p.core.out.Enqueue(1)
		coalesce.Move(own.Append(e.size), e.index(p.spill, p.lanes), e.size)
	}
	if own.Full() {
		p.core.out.SealQueue()
	}
}

func (p *plain) arrived(f *netio.Frame, home bool) error {
	n, size := int(f.Count), p.core.out.Unit
	if int(f.Bytes) != n*size {
		return fmt.Errorf("it holds %d bytes for %d pebbles of %d bytes", f.Bytes, n, size)
	}
	vs := pebbles{f.Base(), n}
	if home {
		p.core.run(vs)
	} else {
		p.core.sort(vs)
	}
	return nil
}
