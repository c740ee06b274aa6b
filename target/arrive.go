package target

import (
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// Deliver implements engine.Endpoint.
func (c *core[V]) Deliver(f *netio.Frame) (taken bool, err error) {
	if c.oneHop {
		return true, c.carrier.arrived(f, true)
	}
	if !c.out.Accepts(f) {
		return false, nil
	}
	return true, c.carrier.arrived(f, c.lastHop && c.out.Ends(f))
}

// Drain implements engine.Endpoint.
func (c *core[V]) Drain() {
	all := c.out.TakeQueue()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if err := c.again(f); err != nil {
			c.engine.Fail(err)
		}
		c.out.Dequeued(f)
	}
}

// again takes in the pebbles of a frame of this rank's own.
func (c *core[V]) again(f *netio.Frame) error {
	before := c.engine.Handle(0)
	c.engine.Handling(f.Flags)
	err := c.carrier.arrived(f, c.oneHop)
	c.engine.Handled(before)
	return err
}

// Reroute implements engine.Endpoint: pebbles that wait for links which are down come in again, and go other ways.
func (c *core[V]) Reroute() error {
	all, err := c.out.Reroute()
	for f := all.Shift(); f != nil && err == nil; f = all.Shift() {
		forwarded := c.engine.Count.Forwarded
		err = c.again(f)
		c.engine.Count.Rescued += c.engine.Count.Forwarded - forwarded
		c.engine.Count.Forwarded = forwarded
		f.Release()
	}
	return err
}

// sort handles the pebbles that are home and passes the others on.
func (c *core[V]) sort(vs []V) {
	for len(vs) > 0 {
		n := min(len(vs), chunk)
		c.sortChunk(vs[:n])
		vs = vs[n:]
	}
}

func (c *core[V]) sortChunk(vs []V) {
	s := c.hop.ready()
	advice := c.adviceAtHop(len(vs))
	lanes := c.address(s, vs, advice != reduce.Skip)
	c.out.Now = c.engine.ThisDepth()
	if advice == reduce.Watch {
		c.watchAll(s, vs, lanes)
	}
	if advice != reduce.Use && !c.mixedDepths() {
		c.spread(s, vs, lanes)
		return
	}
	home, away := c.part(s, vs, lanes)
	if away > 0 {
		did := c.passOn(away)
		if advice == reduce.Use {
			c.reducedAtHop(s, away)
		} else {
			c.carrier.scatter(s, s.away[:away], lanes[:away], true)
		}
		c.passedOn(did)
	}
	if home > 0 {
		c.run(s.vs[:home])
	}
}

// spread is sortChunk where pebbles are only put into lanes: those that are home into one of their own, which never
// fills.
func (c *core[V]) spread(s *scratch[V], vs []V, lanes []uint32) {
	own := *c.out.Own()
	*c.out.Own() = coalesce.NewLane(unsafe.Pointer(&s.vs[0]), len(s.vs))
	c.carrier.scatter(s, vs, lanes, true)
	home := c.out.Own().Len()
	*c.out.Own() = own
	c.out.Filled = c.out.Filled || home < len(vs)
	c.engine.Count.Forwarded += uint64(len(vs) - home)
	if home > 0 {
		c.run(s.vs[:home])
	}
}

// passOn begins to pass on so many pebbles that are not home, and passedOn ends it.
func (c *core[V]) passOn(pebbles int) (did bool) {
	c.engine.Count.Forwarded += uint64(pebbles)
	return c.out.InstallQueue()
}

func (c *core[V]) passedOn(did bool) {
	c.out.RemoveQueue(did)
	c.out.Filled = true
}
