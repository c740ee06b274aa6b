package target

import (
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/reduce"
)

// SendBufferMax is how many pebbles calls of [Target.Send] gather before these go on together, if not coalesced by
// less. Pebbles of more than 64 bytes are as many as 16 KiB hold, and those that handlers and tasks send at most 64.
const SendBufferMax = 256

const (
	sendBufferBytes = 16 << 10
	innerMax        = 64 // of handlers: what they send is waited for sooner
)

// sendBuffer gathers the pebbles of single sends, so that those cost little more than SendAll: owners are worked out,
// and handlers run, for many at a time. There is one for the main function and one for handlers, because a send of the
// former may let handlers run. Pebbles that travel through a codec go on one by one.
type sendBuffer[V any] struct {
	vs    []V
	n     int
	depth uint8 // of all that are in it
}

func (s *sendBuffer[V]) open(size int) { s.vs, s.depth = make([]V, size), 1 }

// openBuffers makes the buffers of single sends.
func (c *core[V]) openBuffers() {
	size := min(c.out.Factor, SendBufferMax, sendBufferBytes/max(1, int(unsafe.Sizeof(*new(V)))))
	if c.encoded() {
		size = 1
	}
	c.buffers.main.open(size)
	c.buffers.inner.open(min(size, innerMax))
}

// put adds a pebble, but not the last one that there is room for. It is small enough to be inlined.
func (s *sendBuffer[V]) put(v V) bool {
	n := s.n
	if uint(n)+1 >= uint(len(s.vs)) {
		return false
	}
	s.vs[n] = v
	s.n = n + 1
	return true
}

// send puts a pebble into a send buffer, which goes on when it is full.
func (c *core[V]) send(v V) {
	mine, due := c.engine.MainSends()
	if !mine {
		c.sendInner(v)
		return
	}
	if due { // a slow sender's lanes may be
		c.engine.SendDue()
	}
	if s := &c.buffers.main; !s.put(v) {
		c.fill(s, v, false)
	}
}

// sendInner is send in a handler.
func (c *core[V]) sendInner(v V) {
	inHandler, full := c.engine.CheckSend()
	if full {
		c.awaitRoom([]V{v})
	}
	s, depth := &c.buffers.inner, c.engine.NextDepth()
	if depth != s.depth {
		c.flushBuffer(s, inHandler)
		s.depth = depth
	}
	if !s.put(v) {
		c.fill(s, v, inHandler)
	}
}

// trySend is send without a wait: as a handler sends, once there is room.
func trySend[V any](c *core[V], v V) bool {
	inHandler, full := c.engine.CheckSend()
	if full || !c.engine.HasRooms() && !c.engine.FindRoom(inHandler) {
		return false
	}
	if _, due := c.engine.MainSends(); due {
		c.engine.SendDue()
	}
	s, depth := &c.buffers.inner, c.engine.NextDepth()
	if depth != s.depth {
		c.flushInner(inHandler)
		s.depth = depth
	}
	if !s.put(v) {
		s.vs[s.n] = v
		s.n++
		c.flushInner(inHandler)
	}
	return true
}

// flushInner sends what has gathered as a handler's, whoever calls.
func (c *core[V]) flushInner(inHandler bool) {
	c.engine.Begin(inHandler)
	c.flushBuffer(&c.buffers.inner, true)
	c.engine.End()
}

// fill adds the last pebble, and sends what is in the buffer.
func (c *core[V]) fill(s *sendBuffer[V], v V, inHandler bool) {
	n := s.n // another goroutine that must not be here may change it
	if uint(n) >= uint(len(s.vs)) {
		c.engine.Overlaps()
	}
	s.vs[n] = v
	s.n = n + 1
	c.engine.Begin(inHandler)
	c.flushBuffer(s, inHandler)
	c.engine.End()
}

// flushBuffer sends what is in a send buffer, and tells whether that was anything.
func (c *core[V]) flushBuffer(s *sendBuffer[V], inHandler bool) bool {
	n := s.n
	if n == 0 {
		return false
	}
	s.n = 0
	c.sendDeep(s.vs[:n], inHandler, s.depth)
	if c.encoded() {
		clear(s.vs[:n]) // let go of what the pebbles point to
	}
	return true
}

// flushBuffers sends what is in both send buffers: that of the main function only when no send of it is in progress,
// which waits and lets others look for what is due. What handlers have sent to this rank is queued, wherever this is
// called from.
func (c *core[V]) flushBuffers() (moved bool) {
	if !c.busy {
		moved = c.flushBuffer(&c.buffers.main, c.engine.InHandler())
	}
	return c.flushBuffer(&c.buffers.inner, true) || moved
}

// sendAll sends a batch. A task's goes in chunks, each of which may have to wait for room.
func (c *core[V]) sendAll(vs []V) {
	for len(vs) > chunk && c.engine.InTask(sendAllCalled) {
		c.sendBatch(vs[:chunk])
		vs = vs[chunk:]
	}
	c.sendBatch(vs)
}

const sendAllCalled = "SendAll was called"

func (c *core[V]) sendBatch(vs []V) {
	inHandler, full := c.engine.CheckSend()
	if full {
		c.awaitRoom(vs)
	}
	depth := c.engine.NextDepth()
	if inHandler && c.gather(vs, depth) {
		return
	}
	c.engine.Begin(inHandler)
	if !inHandler {
		c.engine.Sent(len(vs)) // which may let handlers run: first of all
	}
	c.sendDeep(vs, inHandler, depth)
	c.engine.End()
}

// awaitCredit lets the main function wait until a lane from which a frame has left has no backlog.
func (c *core[V]) awaitCredit(l int, inHandler bool) {
	if inHandler {
		return
	}
	depth := c.out.Now // handlers may run
	c.handleLocal()
	c.engine.AwaitCredit(l)
	c.out.Now = depth
}

// supply makes sure that a lane has room for so many units more. The main function may wait for it, and let handlers
// run, which use the same lanes.
func (c *core[V]) supply(l, units int, inHandler bool) {
	for !c.out.MakeRoom(l, units) {
		capacity := c.out.Capacity(l, units)
		if !inHandler {
			awaitBudget(c, capacity)
			if c.mixedDepths() {
				c.out.SplitByDepth(l)
			}
		}
		if !c.out.HasFrame(l) {
			c.out.Attach(l, capacity)
			return
		}
	}
}

// mixedDepths reports whether lanes must be looked at before pebbles are put: they may hold some of another depth.
func (c *core[V]) mixedDepths() bool { return c.engine.Deep && c.out.MixedDepths() }

// awaitBudget lets the main function wait until another frame of so many units may be in flight.
func awaitBudget[V any](c *core[V], units int) {
	depth := c.out.Now // handlers may run
	c.handleLocal()
	c.engine.AwaitBudget(units * c.out.Unit)
	c.out.Now = depth
}

// awaitRoom lets a task wait until the links of some pebbles, at most a chunk, have room. Others of the target may have
// none.
func (c *core[V]) awaitRoom(vs []V) {
	for !c.engine.HasRooms() {
		l := c.fullLane(vs)
		if l < 0 {
			return
		}
		c.engine.SuspendTask(l)
	}
}

// AwaitRoom implements engine.Endpoint.
func (c *core[V]) AwaitRoom(pebbles any) { c.awaitRoom(pebbles.([]V)) }

// fullLane is a lane of some pebbles that has no room; -1 for none.
func (c *core[V]) fullLane(vs []V) int {
	c.engine.Begin(true)
	lanes := c.address(c.inner.ready(), vs, false)
	c.engine.End()
	for _, l := range lanes {
		if !c.engine.HasRoom(int(l)) {
			return int(l)
		}
	}
	return -1
}

// gather puts a batch of a handler or a task into the send buffer, if it is so short that its way through would cost
// more than its pebbles.
func (c *core[V]) gather(vs []V, depth uint8) bool {
	s := &c.buffers.inner
	if len(vs) > len(s.vs)/4 {
		return false
	}
	if depth != s.depth || s.n+len(vs) >= len(s.vs) { // which is never left full
		c.flushInner(true)
		s.depth = depth
	}
	s.n += copy(s.vs[s.n:], vs)
	return true
}

// sendDeep sends pebbles of a depth.
func (c *core[V]) sendDeep(vs []V, inHandler bool, depth uint8) {
	c.engine.Count.PebblesSent += uint64(len(vs))
	if inHandler {
		c.out.Now = depth
		did := c.out.InstallQueue()
		s := c.inner.ready()
		for ; len(vs) > chunk; vs = vs[chunk:] {
			c.pass(s, vs[:chunk], true)
		}
		c.pass(s, vs, true)
		c.out.RemoveQueue(did)
		c.out.Filled = true
		return
	}
	c.busy = true
	for s := c.main.ready(); len(vs) > 0; {
		c.out.Now = depth // handlers may have run
		n := min(len(vs), chunk)
		c.pass(s, vs[:n], false)
		c.handleLocal()
		c.engine.Port.Fetch()
		vs = vs[n:]
	}
	c.out.Filled, c.busy = true, false
	c.engine.HandleQueued()
}

// pass takes a chunk of pebbles to this rank's lane, or through the cache to the lane of the next hop.
func (c *core[V]) pass(s *scratch[V], vs []V, inHandler bool) {
	advice := c.advice(len(vs))
	lanes := c.address(s, vs, advice != reduce.Skip)
	if advice != reduce.Use {
		if advice == reduce.Watch {
			c.watchAll(s, vs, lanes)
		}
		c.carrier.scatter(s, vs, lanes, inHandler)
		return
	}
	home, away := c.part(s, vs, lanes)
	if home > 0 {
		c.carrier.keep(s, s.vs[:home], s.keys[away:len(vs)], inHandler)
	}
	c.reduced(s, away, inHandler)
	if c.encoded() {
		s.clear(home, away)
	}
}

// part copies the pebbles of this rank to s.vs and the others, with their keys, to s.away and the front of s.keys.
func (c *core[V]) part(s *scratch[V], vs []V, lanes []uint32) (home, away int) {
	self := uint32(c.out.Plan.Self)
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

// handleLocal handles what the main function has sent to its own rank.
func (c *core[V]) handleLocal() {
	own := c.out.Own()
	if own.Len() == 0 {
		return
	}
	vs := coalesce.Pebbles[V](own)
	own.Reset()
	if c.mover == nil {
		c.run(vs)
	} else {
		before := c.engine.Handle(0) // keys may have left since their pebbles were put here
		c.sort(vs)
		c.engine.Handled(before)
	}
	if c.encoded() {
		clear(vs) // let go of what the pebbles point to
	}
}

// Flush implements engine.Endpoint.
func (c *core[V]) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	moved, before := c.flushBuffers(), c.engine.Count.FramesSent
	if c.cache != nil && c.out.Filled && c.out.Leads(stage) {
		c.release(c.engine.InHandler()) // which may wait for room, and flush meanwhile
		c.out.Filled = true
	}
	left = c.out.Flush(why, stage)
	return moved || c.engine.Count.FramesSent != before, left
}

// Holds implements engine.Endpoint.
func (c *core[V]) Holds() bool {
	return c.buffers.main.n > 0 || c.buffers.inner.n > 0 || c.out.Filled || c.held()
}

// FlushDue implements engine.Endpoint.
func (c *core[V]) FlushDue(now time.Duration) {
	c.flushBuffers()
	if c.out.FlushDue(now, c.held()) {
		c.Flush(coalesce.Due, coalesce.AllStages)
	}
}
