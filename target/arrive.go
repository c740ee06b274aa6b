package target

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// Deliver implements engine.Endpoint.
func (c *core) Deliver(f *netio.Frame) (taken bool, err error) {
	if c.oneHop {
		return true, c.arrive(f, true)
	}
	if !c.out.Accepts(f) {
		return false, nil
	}
	return true, c.arrive(f, c.lastHop && c.out.IsLastStage(f))
}

// arrive handles the pebbles of a frame that are home, and sends the others on. home reports that all of them are home.
func (c *core) arrive(f *netio.Frame, home bool) error {
	if c.coded != nil {
		return c.coded.arrive(f)
	}
	n, size := int(f.Count), c.out.Unit
	if int(f.Bytes) != n*size {
		return fmt.Errorf("it holds %d bytes for %d pebbles of %d bytes", f.Bytes, n, size)
	}
	vs := pebbles{f.Base(), n}
	if home {
		c.run(vs)
	} else {
		c.dispatch(vs)
	}
	return nil
}

// dispatch handles the pebbles that are home, and sends the others on.
func (c *core) dispatch(vs pebbles) {
	for vs.n > 0 {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.dispatchChunk(head)
	}
}

func (c *core) dispatchChunk(vs pebbles) {
	o := c.hop.ready()
	advice := c.adviceAtHop(vs.n)
	lanes := c.address(o, vs, advice != reduce.Skip)
	o.Depth = c.engine.ThisDepth()
	if advice == reduce.Use {
		home, away := c.splitHomeAway(o, vs, lanes)
		o.Home.SetLen(home)
		c.reducedAtHop(o, away)
	} else {
		if advice == reduce.Watch {
			c.watchAll(o, vs, lanes)
		}
		c.put(o, vs, lanes)
		c.engine.Count.Forwarded += uint64(vs.n - o.Home.Len())
	}
	c.runHome(o)
}

// Drain implements engine.Endpoint.
func (c *core) Drain() {
	all := c.out.TakeQueue()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if err := c.redeliver(f); err != nil {
			c.engine.Fail(err)
		}
		c.out.Dequeued(f)
	}
}

// redeliver delivers a frame of this rank to itself.
func (c *core) redeliver(f *netio.Frame) error {
	before := c.engine.Handle(0)
	c.engine.Handling(f.Flags)
	err := c.arrive(f, c.oneHop)
	c.engine.Handled(before)
	return err
}

// Reroute implements engine.Endpoint: it delivers pebbles that wait for links that are down again at this rank, so that
// they take other routes.
func (c *core) Reroute() error {
	all, err := c.out.Reroute()
	for f := all.Shift(); f != nil && err == nil; f = all.Shift() {
		forwarded := c.engine.Count.Forwarded
		err = c.redeliver(f)
		c.engine.Count.Rescued += c.engine.Count.Forwarded - forwarded
		c.engine.Count.Forwarded = forwarded
		f.Release()
	}
	return err
}
