package target

import "github.com/activepebbles/pebbles/coalesce"

// origin is a source of a target's pebbles: the main function, handlers and tasks, arrivals at a hop, or the reduction
// cache. Each has working memory for one chunk, since a send of the main function may wait and run handlers, which send
// too. An origin that may wait is its own [coalesce.Waiter].
type origin struct {
	coalesce.Origin
	core   *core
	buffer sendBuffer // of the main function and of handlers
	busy   bool       // a send of the main function is in progress

	keys   []uint64
	owners []uint32
	lanes  []uint32
	home   pebbles // for this rank; the memory of the lane Home
	away   pebbles // for other ranks
	record []byte  // a pebble that is being encoded
}

// openOrigins sets the origins that may wait, and the destination of their pebbles for this rank.
func (c *core) openOrigins() {
	c.body.core, c.inner.core, c.hop.core, c.drained.core = c, c, c, c
	c.body.Waiter = &c.body
	c.inner.Queued = true
}

// origin returns the origin of a call by the program.
func (c *core) origin() *origin {
	if c.engine.Rank.InHandler() {
		return &c.inner
	}
	return &c.body
}

// ready makes the working memory if it is missing.
func (o *origin) ready() *origin {
	if o.keys == nil {
		e := &o.core.element
		o.keys = make([]uint64, chunk)
		o.owners = make([]uint32, chunk)
		o.lanes = make([]uint32, chunk)
		o.home = pebbles{e.room(chunk + 1), chunk + 1} // one more than a chunk, so that it is never full
		o.away = pebbles{e.room(chunk), chunk}
		o.Home = coalesce.NewLane(o.home.at, o.home.n)
	}
	return o
}

// AwaitCredit implements coalesce.Waiter.
func (o *origin) AwaitCredit(lane int) {
	o.core.handleHome(o)
	o.core.engine.AwaitCredit(lane)
}

// AwaitBudget implements coalesce.Waiter.
func (o *origin) AwaitBudget(bytes int) {
	o.core.handleHome(o)
	o.core.engine.AwaitBudget(bytes)
}

// handleHome handles the pebbles for this rank that an origin has collected, if the origin may wait.
func (c *core) handleHome(o *origin) {
	if c.mover == nil || o.Home.Len() == 0 {
		c.runHome(o)
		return
	}
	vs := o.takeHome()
	before := c.engine.Handle(0) // keys may have left since their pebbles were put here
	c.dispatch(vs)
	c.engine.Handled(before)
	c.element.forget(vs.at, vs.n)
}

// runHome runs the handler on the pebbles for this rank that an origin has collected.
func (c *core) runHome(o *origin) {
	if o.Home.Len() == 0 {
		return
	}
	vs := o.takeHome()
	c.run(vs)
	c.element.forget(vs.at, vs.n)
}

// takeHome empties the lane Home, and returns the pebbles that were in it.
func (o *origin) takeHome() pebbles {
	vs := o.home.first(o.Home.Len())
	o.Home.Reset()
	return vs
}
