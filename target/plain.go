package target

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
)

// plain carries pebbles of plain data as they lie in memory.
//
// A lane without a frame lies over one element of spill, so that putting a pebble needs no look at whether there is a
// frame: the lane is full at once, and full then finds the frame.
type plain[V any] struct {
	core[V]
	spill  []V                            // by lane, and one more for the queue
	local  []V                            // pebbles of the main function for its own rank, for as long as one chunk is sent
	stages struct{ main, inner stage[V] } // of single sends from the main function, and from handlers
	others map[string]*opened[V]          // lanes of topologies that the target had before
	busy   bool                           // the main function's scratch is in use
}

func (p *plain[V]) open(door *engine.Target, plan *route.Plan, factor int) {
	var v V
	p.outbox.open(door, plan, int(unsafe.Sizeof(v)), factor, factor)
	p.blank, p.release = p.overSpill, p.drain
	p.spill = make([]V, len(plan.Lanes)+1)
	for l := range p.lanes {
		p.lanes[l] = p.overSpill(l)
	}
	p.stages.main.open(factor)
	p.stages.inner.open(factor)
	p.local = make([]V, chunk+1) // one more than a chunk fills, so that it is never full
	p.lanes[plan.Self] = coalesce.Over(unsafe.Pointer(&p.local[0]), len(p.local))
	p.queue.lane = p.overSpill(len(plan.Lanes))
}

func (p *plain[V]) overSpill(l int) coalesce.Lane {
	return coalesce.Over(unsafe.Pointer(&p.spill[l]), 1)
}

func (p *plain[V]) own() *coalesce.Lane { return &p.lanes[p.plan.Self] }

func (p *plain[V]) sendAll(vs []V) {
	inHandler, depth := p.door.Enter(), p.door.NextDepth()
	p.door.Begin(inHandler)
	if !inHandler {
		p.door.Spend(len(vs)) // which may let handlers run: first of all
	}
	p.sendDeep(vs, inHandler, depth)
	p.door.End()
}

// sendDeep sends pebbles of a depth.
func (p *plain[V]) sendDeep(vs []V, inHandler bool, depth uint8) {
	p.door.Count().PebblesSent += uint64(len(vs))
	if inHandler {
		p.now = depth
		did := p.queue.install(p.own())
		for s := p.inner.ready(); len(vs) > 0; {
			n := min(len(vs), chunk)
			p.pass(s, vs[:n], true)
			vs = vs[n:]
		}
		p.queue.remove(p.own(), did)
		p.filled = true
		return
	}
	p.busy = true
	for s := p.main.ready(); len(vs) > 0; {
		p.now = depth // handlers may have run
		n := min(len(vs), chunk)
		p.pass(s, vs[:n], false)
		p.settle()
		p.door.Fetch()
		vs = vs[n:]
	}
	p.filled, p.busy = true, false
	p.door.Settle()
}

// pass takes a chunk of pebbles through the door: to this rank's lane, or through the cache to the lane of the next hop.
func (p *plain[V]) pass(s *scratch[V], vs []V, inHandler bool) {
	advice := p.advice(len(vs))
	lanes := p.address(s, vs, advice != reduce.Skip)
	if advice != reduce.Use {
		if advice == reduce.Watch {
			p.watch(s.keys[:len(vs)], lanes)
		}
		p.scatter(vs, lanes, inHandler)
		return
	}
	home, away := p.part(s, vs, lanes)
	if home > 0 && p.minds() {
		p.separate(p.plan.Self, inHandler)
	}
	for _, v := range s.vs[:home] {
		coalesce.Put(p.own(), v)
		if p.own().Full() {
			p.full(p.plan.Self, inHandler)
		}
	}
	p.reduced(s, away, inHandler)
}

// part copies the pebbles of this rank to s.vs and the others, with their keys, to s.away and the front of s.keys.
func (p *plain[V]) part(s *scratch[V], vs []V, lanes []uint32) (home, away int) {
	self := uint32(p.plan.Self)
	for i, v := range vs {
		if lanes[i] == self {
			s.vs[home] = v
			home++
			continue
		}
		s.away[away] = v
		s.keys[away] = s.keys[i]
		lanes[away] = lanes[i]
		away++
	}
	return home, away
}

// reduced takes the first pebbles of s.away through the cache, and what comes out to the lanes.
func (p *plain[V]) reduced(s *scratch[V], away int, inHandler bool) {
	p.regroup(inHandler)
	n := p.filter(s.away[:away], s.keys[:away])
	p.scatter(s.away[:n], p.lanesOf(s, s.keys[:n]), inHandler)
}

// scatter puts pebbles into lanes.
func (p *plain[V]) scatter(vs []V, lanes []uint32, inHandler bool) {
	for {
		if p.minds() {
			for _, l := range lanes {
				p.separate(int(l), inHandler)
			}
		}
		put, full := coalesce.Scatter(p.lanes, lanes, vs)
		if full < 0 {
			return
		}
		p.full(full, inHandler)
		vs, lanes = vs[put:], lanes[put:]
	}
}

// separate makes sure that a lane holds no pebbles of another depth than those that are being put.
func (p *plain[V]) separate(l int, inHandler bool) {
	p.apart(l)
	if f := p.queue.frame; f != nil && inHandler && f.Flags != p.now {
		p.seal(p.own())
	}
}

// seal moves what the queue's lane holds to the queue.
func (p *plain[V]) seal(lane *coalesce.Lane) {
	n := lane.Len()
	p.queue.seal(n, n*p.unit)
	*lane = p.overSpill(len(p.spill) - 1)
}

// full makes room in a lane: it sends the lane's frame, or lets it grow, or finds a first frame for a lane without one. The
// main function's side may wait here, and let handlers run, which use the same lanes: so the lane is put in order first.
func (p *plain[V]) full(l int, inHandler bool) {
	switch {
	case l == p.plan.Self:
		p.enqueue()
	case p.frames[l] == nil:
		p.supply(l, inHandler)
	case p.lanes[l].Len() < p.mostOf(l) && p.grow(l, p.lanes[l].Len()+1):
	default:
		p.emit(l, coalesce.Full)
		if !inHandler {
			now := p.now // handlers may run
			p.settle()
			p.await(l)
			p.now = now
		}
	}
}

// supply gives a lane its first frame. Its pebble waits outside of the lane meanwhile.
func (p *plain[V]) supply(l int, inHandler bool) {
	v := p.spill[l]
	p.lanes[l].Empty()
	if !inHandler {
		now := p.now // handlers may run
		p.settle()
		p.door.Room(p.roomOf(l) * p.unit)
		p.now = now
		if p.minds() {
			p.apart(l)
		}
	}
	if p.frames[l] == nil {
		p.attach(l, p.roomOf(l))
	}
	coalesce.Put(&p.lanes[l], v)
	if p.lanes[l].Full() {
		p.full(l, inHandler)
	}
}

// enqueue is full for the queue's lane.
func (p *plain[V]) enqueue() {
	if p.queue.frame == nil {
		v := p.spill[len(p.spill)-1]
		p.queue.frame = p.door.AttachQueue(p.most * p.unit)
		p.queue.frame.Flags = p.now
		*p.own() = coalesce.Over(p.queue.frame.Base(), p.most)
		coalesce.Put(p.own(), v)
	}
	if p.own().Full() {
		p.seal(p.own())
	}
}

// settle handles what the main function has sent to its own rank.
func (p *plain[V]) settle() {
	own := p.own()
	if own.Len() == 0 {
		return
	}
	vs := coalesce.Pebbles[V](own)
	own.Empty()
	if !p.moving() {
		p.run(vs)
		return
	}
	before := p.door.Handle(0) // keys may have left since their pebbles were put here
	p.arrived(vs)
	p.door.Handled(before)
}

// Deliver implements engine.Endpoint.
func (p *plain[V]) Deliver(f *netio.Frame) error {
	n := int(f.Count)
	if int(f.Bytes) != n*p.unit {
		return fmt.Errorf("it holds %d bytes for %d pebbles of %d bytes", f.Bytes, n, p.unit)
	}
	vs := coalesce.View[V](f.Base(), n)
	if p.oneHop || p.lastHop && p.ends(f) {
		p.run(vs)
		return nil
	}
	p.arrived(vs)
	return nil
}

// Drain implements engine.Endpoint.
func (p *plain[V]) Drain() {
	if p.queue.frame != nil {
		p.seal(&p.queue.lane)
	}
	all := p.queue.waiting.Move() // what handlers send from here on waits for the next time
	for f := all.Shift(); f != nil; f = all.Shift() {
		before := p.door.Handle(0)
		p.door.Handling(f.Flags)
		p.arrived(coalesce.View[V](f.Base(), int(f.Count)))
		p.door.Handled(before)
		p.door.DetachQueue(f)
	}
}

// arrived handles the pebbles that are home and passes the others on.
func (p *plain[V]) arrived(vs []V) {
	if p.oneHop {
		p.run(vs)
		return
	}
	for len(vs) > 0 {
		n := min(len(vs), chunk)
		p.sort(vs[:n])
		vs = vs[n:]
	}
}

func (p *plain[V]) sort(vs []V) {
	s := p.hop.ready()
	advice := p.adviceAtHop(len(vs))
	lanes := p.address(s, vs, advice != reduce.Skip)
	p.now = p.door.ThisDepth()
	if advice == reduce.Watch {
		p.watch(s.keys[:len(vs)], lanes)
	}
	if advice != reduce.Use && !p.minds() {
		p.spread(s, vs, lanes)
		return
	}
	home, away := p.part(s, vs, lanes)
	if away > 0 {
		p.door.Count().Forwarded += uint64(away)
		did := p.queue.install(p.own())
		if advice != reduce.Use {
			p.scatter(s.away[:away], lanes[:away], true)
		} else {
			merged := p.cache.Merged()
			p.reduced(s, away, true)
			p.door.Count().MergedAtHops += p.cache.Merged() - merged
		}
		p.queue.remove(p.own(), did)
		p.filled = true
	}
	if home > 0 {
		p.run(s.vs[:home])
	}
}

// spread is sort where pebbles are only put into lanes: those that are home into one of their own, which never fills.
func (p *plain[V]) spread(s *scratch[V], vs []V, lanes []uint32) {
	own := *p.own()
	*p.own() = coalesce.Over(unsafe.Pointer(&s.vs[0]), len(s.vs))
	p.scatter(vs, lanes, true)
	home := p.own().Len()
	*p.own() = own
	p.filled = p.filled || home < len(vs)
	p.door.Count().Forwarded += uint64(len(vs) - home)
	if home > 0 {
		p.run(s.vs[:home])
	}
}

// Flush implements engine.Endpoint.
func (p *plain[V]) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	moved := p.gathered()
	sent, left = p.flush(why, stage)
	return sent || moved, left
}

// drain moves what the cache holds back into the lanes.
func (p *plain[V]) drain(inHandler bool) {
	if p.cache == nil || p.draining {
		return
	}
	p.draining = true
	before, held := p.now, p.heldDepth
	s := p.drained.ready()
	did := inHandler && p.queue.install(p.own())
	for n := p.cache.Drain(s.away, s.keys); n > 0; n = p.cache.Drain(s.away, s.keys) {
		p.now = held // handlers may have run
		p.scatter(s.away[:n], p.lanesOf(s, s.keys[:n]), inHandler)
		if !inHandler {
			p.settle()
		}
	}
	p.queue.remove(p.own(), did)
	p.now = before
	p.draining = false
	p.merged()
}

// Reroute implements engine.Endpoint.
func (p *plain[V]) Reroute() error {
	return p.reroute(func(f *netio.Frame) error {
		p.arrived(coalesce.View[V](f.Base(), int(f.Count)))
		return nil
	})
}

// FlushDue implements engine.Endpoint.
func (p *plain[V]) FlushDue(now time.Duration) {
	p.gathered()
	if p.look(now, p.held()) {
		p.Flush(coalesce.Due, engine.AllStages)
	}
}
