package target

import (
	"reflect"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/reduce"
)

// sendInner is Send in a handler or a task. A task may have to wait for room.
func sendInner[V any](c *core, v V) {
	if c.engine.EnterSend() {
		c.awaitRoom(of([]V{v}))
	}
	gather(c, v)
}

// sendAll sends a batch. In a task, it sends chunk by chunk; each may have to wait for room.
func (c *core) sendAll(vs pebbles) {
	for vs.n > chunk && c.engine.Rank.InTask(sendAllCalled) {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.sendBatch(head)
	}
	c.sendBatch(vs)
}

const sendAllCalled = "SendAll was called"

func (c *core) sendBatch(vs pebbles) {
	if c.engine.EnterSend() {
		c.awaitRoom(vs)
	}
	o, depth := c.origin(), c.engine.NextDepth()
	if o.Queued && c.gatherAll(vs, depth) {
		return
	}
	c.engine.Begin()
	if !o.Queued {
		c.engine.Sent(vs.n) // first, since it may run handlers
	}
	c.sendFrom(o, vs, depth)
	c.engine.End()
}

// sendFrom sends pebbles of a depth from an origin.
func (c *core) sendFrom(o *origin, vs pebbles, depth uint8) {
	c.engine.Count.PebblesSent += uint64(vs.n)
	o.ready().Depth = depth
	if o.Queued {
		for vs.n > chunk {
			var head pebbles
			head, vs = c.element.chunk(vs)
			c.pass(o, head)
		}
		c.pass(o, vs)
		return
	}
	o.busy = true
	for vs.n > 0 {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.pass(o, head)
		c.handleHome(o)
		c.engine.Port.Fetch()
	}
	o.busy = false
	c.engine.HandleQueued()
}

// pass moves a chunk of pebbles into the lanes of their next hops, some of them through the cache.
func (c *core) pass(o *origin, vs pebbles) {
	advice := c.advice(vs.n)
	lanes := c.address(o, vs, advice != reduce.Skip)
	if advice != reduce.Use {
		if advice == reduce.Watch {
			c.watchAll(o, vs, lanes)
		}
		if c.coded == nil {
			c.out.Put(&o.Origin, vs.at, lanes)
		} else {
			c.coded.put(o, vs, lanes)
		}
		return
	}
	home, away := c.splitHomeAway(o, vs, lanes)
	if o.Queued {
		c.queueHome(o, home, o.keys[away:vs.n])
	} else {
		o.Home.SetLen(home)
	}
	c.reduced(o, away)
	c.element.forget(o.away.at, away)
}

// put puts pebbles into lanes. If they are encoded, their keys are the first of o.keys.
func (c *core) put(o *origin, vs pebbles, lanes []uint32) {
	if c.coded != nil {
		c.coded.put(o, vs, lanes)
		return
	}
	c.out.Put(&o.Origin, vs.at, lanes)
}

// queueHome queues the first pebbles of o.home. It may overwrite keys.
func (c *core) queueHome(o *origin, n int, keys []uint64) {
	if c.coded != nil {
		c.coded.queue(o, o.home.first(n), keys)
		c.element.forget(o.home.at, n)
		return
	}
	c.out.PutHome(&o.Origin, o.home.at, n)
}

// splitHomeAway copies the pebbles of this rank to o.home, the others to o.away, and the keys of those to the front of
// o.keys.
func (c *core) splitHomeAway(o *origin, vs pebbles, lanes []uint32) (home, away int) {
	self, e := uint32(c.out.Plan.Self), &c.element
	for i := range vs.n {
		v := e.index(vs.at, i)
		if lanes[i] == self {
			e.copyOne(e.index(o.home.at, home), v)
			home++
			continue
		}
		e.copyOne(e.index(o.away.at, away), v)
		o.keys[away] = o.keys[i]
		away++
	}
	return home, away
}

// awaitRoom lets a task wait until the links of some pebbles, at most a chunk, have room. Other links of the target may
// have none.
func (c *core) awaitRoom(vs pebbles) {
	for !c.engine.HasRooms() {
		l := c.fullLane(vs)
		if l < 0 {
			return
		}
		c.engine.SuspendTask(l)
	}
}

// AwaitRoom implements engine.Endpoint.
func (c *core) AwaitRoom(slice any) {
	vs := reflect.ValueOf(slice)
	if of := vs.Type().Elem(); of != c.element.pebble {
		c.engine.Rank.Misuse("target", "a slice of %v was given, the target's pebbles are %v", of, c.element.pebble)
	}
	c.awaitRoom(pebbles{vs.UnsafePointer(), vs.Len()})
}

// fullLane returns a lane of some pebbles that has no room; -1 for none.
func (c *core) fullLane(vs pebbles) int {
	c.engine.Begin()
	lanes := c.address(c.inner.ready(), vs, false)
	c.engine.End()
	for _, l := range lanes {
		if !c.engine.HasRoom(int(l)) {
			return int(l)
		}
	}
	return -1
}

// Flush implements engine.Endpoint.
func (c *core) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	if !c.Holds() {
		return false, false
	}
	moved, before := c.flushBuffers(), c.engine.Count.FramesSent
	if c.cache != nil && c.Holds() && c.out.FlushesCaches(stage) {
		c.release(c.origin()) // may wait for room, and flush meanwhile
	}
	left = c.out.Flush(why, stage)
	return moved || c.engine.Count.FramesSent != before, left
}

// Holds implements engine.Endpoint.
func (c *core) Holds() bool {
	return c.body.buffer.n > 0 || c.inner.buffer.n > 0 || c.out.Holds() || c.held()
}

// FlushDue implements engine.Endpoint.
func (c *core) FlushDue(now time.Duration) {
	c.flushBuffers()
	if c.out.FlushDue(now, c.held()) || c.out.FlushOnCredit && c.Holds() {
		c.Flush(coalesce.Due, coalesce.AllStages)
	}
}
