package target

import (
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// Deliver implements engine.Endpoint.
func (c *core) Deliver(f *netio.Frame) (taken bool, err error) {
	if c.oneHop {
		return true, c.carrier.arrived(f, true)
	}
	if !c.out.Accepts(f) {
		return false, nil
	}
	return true, c.carrier.arrived(f, c.lastHop && c.out.Ends(f))
}

// Drain implements engine.Endpoint.
func (c *core) Drain() {
	all := c.out.TakeQueue()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if err := c.again(f); err != nil {
			c.engine.Fail(err)
		}
		c.out.Dequeued(f)
	}
}

// again takes in the pebbles of a frame of this rank's own.
func (c *core) again(f *netio.Frame) error {
	before := c.engine.Handle(0)
	c.engine.Handling(f.Flags)
	err := c.carrier.arrived(f, c.oneHop)
	c.engine.Handled(before)
	return err
}

// Reroute implements engine.Endpoint: pebbles that wait for links which are down come in again, and go other ways.
func (c *core) Reroute() error {
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
func (c *core) sort(vs pebbles) {
	for vs.n > 0 {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.sortChunk(head)
	}
}

func (c *core) sortChunk(vs pebbles) {
	s := c.hop.ready(&c.element)
	advice := c.adviceAtHop(vs.n)
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
			c.carrier.scatter(s, s.away.first(away), lanes[:away], true)
		}
		c.passedOn(did)
	}
	if home > 0 {
		c.run(s.home.first(home))
	}
}

// spread is sortChunk where pebbles are only put into lanes: those that are home into one of their own, which never
// fills.
func (c *core) spread(s *scratch, vs pebbles, lanes []uint32) {
	own := *c.out.Own()
	*c.out.Own() = coalesce.NewLane(s.home.at, s.home.n)
	c.carrier.scatter(s, vs, lanes, true)
	home := c.out.Own().Len()
	*c.out.Own() = own
	c.out.Filled = c.out.Filled || home < vs.n
	c.engine.Count.Forwarded += uint64(vs.n - home)
	if home > 0 {
		c.run(s.home.first(home))
	}
}

// passOn begins to pass on so many pebbles that are not home, and passedOn ends it.
func (c *core) passOn(pebbles int) (did bool) {
	c.engine.Count.Forwarded += uint64(pebbles)
	return c.out.InstallQueue()
}

func (c *core) passedOn(did bool) {
	c.out.RemoveQueue(did)
	c.out.Filled = true
}
