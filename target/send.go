package target

import (
	"reflect"
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
type sendBuffer struct {
	at    unsafe.Pointer
	size  int // pebbles that there is room for
	n     int
	depth uint8 // of all that are in it
}

func (s *sendBuffer) open(e *element, size int) {
	*s = sendBuffer{at: e.room(size), size: size, depth: 1}
}

// openBuffers makes the buffers of single sends.
func (c *core) openBuffers() {
	size := min(c.out.Factor, SendBufferMax, sendBufferBytes/max(1, c.element.size))
	if c.encoded() {
		size = 1
	}
	c.buffers.main.open(&c.element, size)
	c.buffers.inner.open(&c.element, min(size, innerMax))
}

// put adds a pebble, but not the last one that there is room for. It is small enough to be inlined.
func put[V any](s *sendBuffer, v V) bool {
	n := s.n
	if uint(n)+1 >= uint(s.size) {
		return false
	}
	*(*V)(unsafe.Add(s.at, uintptr(n)*unsafe.Sizeof(v))) = v
	s.n = n + 1
	return true
}

// send puts a pebble into a send buffer, which goes on when it is full.
func send[V any](c *core, v V) {
	mine, due := c.engine.MainSends()
	if !mine {
		sendInner(c, v)
		return
	}
	if due { // a slow sender's lanes may be
		c.engine.SendDue()
	}
	if s := &c.buffers.main; !put(s, v) {
		fill(c, s, v, false)
	}
}

// sendInner is send in a handler.
func sendInner[V any](c *core, v V) {
	inHandler, full := c.engine.CheckSend()
	if full {
		c.awaitRoom(of([]V{v}))
	}
	s, depth := &c.buffers.inner, c.engine.NextDepth()
	if depth != s.depth {
		c.flushBuffer(s, inHandler)
		s.depth = depth
	}
	if !put(s, v) {
		fill(c, s, v, inHandler)
	}
}

// fill adds the last pebble, and sends what is in the buffer.
func fill[V any](c *core, s *sendBuffer, v V, inHandler bool) {
	add(c, s, v)
	c.engine.Begin(inHandler)
	c.flushBuffer(s, inHandler)
	c.engine.End()
}

// add adds a pebble to a buffer that has room.
func add[V any](c *core, s *sendBuffer, v V) {
	n := s.n // another goroutine that must not be here may change it
	if uint(n) >= uint(s.size) {
		c.engine.Overlaps()
	}
	*(*V)(unsafe.Add(s.at, uintptr(n)*unsafe.Sizeof(v))) = v
	s.n = n + 1
}

// trySend is send without a wait: as a handler sends, once there is room.
func trySend[V any](c *core, v V) bool {
	inHandler, ok := c.trySends()
	if !ok {
		return false
	}
	if s := &c.buffers.inner; !put(s, v) {
		add(c, s, v)
		c.flushInner(inHandler)
	}
	return true
}

// trySends prepares the send buffer for trySend, and reports whether there is room.
func (c *core) trySends() (inHandler, ok bool) {
	inHandler, full := c.engine.CheckSend()
	if full || !c.engine.HasRooms() && !c.engine.FindRoom(inHandler) {
		return inHandler, false
	}
	if _, due := c.engine.MainSends(); due {
		c.engine.SendDue()
	}
	if s, depth := &c.buffers.inner, c.engine.NextDepth(); depth != s.depth {
		c.flushInner(inHandler)
		s.depth = depth
	}
	return inHandler, true
}

// flushInner sends what has gathered as a handler's, whoever calls.
func (c *core) flushInner(inHandler bool) {
	c.engine.Begin(inHandler)
	c.flushBuffer(&c.buffers.inner, true)
	c.engine.End()
}

// flushBuffer sends what is in a send buffer, and tells whether that was anything.
func (c *core) flushBuffer(s *sendBuffer, inHandler bool) bool {
	n := s.n
	if n == 0 {
		return false
	}
	s.n = 0
	c.sendDeep(pebbles{s.at, n}, inHandler, s.depth)
	c.element.forget(s.at, n)
	return true
}

// flushBuffers sends what is in both send buffers: that of the main function only when no send of it is in progress,
// which waits and lets others look for what is due. What handlers have sent to this rank is queued, wherever this is
// called from.
func (c *core) flushBuffers() (moved bool) {
	if !c.busy {
		moved = c.flushBuffer(&c.buffers.main, c.engine.InHandler())
	}
	return c.flushBuffer(&c.buffers.inner, true) || moved
}

// sendAll sends a batch. A task's goes in chunks, each of which may have to wait for room.
func (c *core) sendAll(vs pebbles) {
	for vs.n > chunk && c.engine.InTask(sendAllCalled) {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.sendBatch(head)
	}
	c.sendBatch(vs)
}

const sendAllCalled = "SendAll was called"

func (c *core) sendBatch(vs pebbles) {
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
		c.engine.Sent(vs.n) // which may let handlers run: first of all
	}
	c.sendDeep(vs, inHandler, depth)
	c.engine.End()
}

// awaitCredit lets the main function wait until a lane from which a frame has left has no backlog.
func (c *core) awaitCredit(l int, inHandler bool) {
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
func (c *core) supply(l, units int, inHandler bool) {
	for !c.out.MakeRoom(l, units) {
		capacity := c.out.Capacity(l, units)
		if !inHandler {
			c.awaitBudget(capacity)
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
func (c *core) mixedDepths() bool { return c.engine.Deep && c.out.MixedDepths() }

// awaitBudget lets the main function wait until another frame of so many units may be in flight.
func (c *core) awaitBudget(units int) {
	depth := c.out.Now // handlers may run
	c.handleLocal()
	c.engine.AwaitBudget(units * c.out.Unit)
	c.out.Now = depth
}

// awaitRoom lets a task wait until the links of some pebbles, at most a chunk, have room. Others of the target may have
// none.
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
		c.engine.Misuse("target", "a slice of %v in place of the target's %v", of, c.element.pebble)
	}
	c.awaitRoom(pebbles{vs.UnsafePointer(), vs.Len()})
}

// fullLane is a lane of some pebbles that has no room; -1 for none.
func (c *core) fullLane(vs pebbles) int {
	c.engine.Begin(true)
	lanes := c.address(c.inner.ready(&c.element), vs, false)
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
func (c *core) gather(vs pebbles, depth uint8) bool {
	s := &c.buffers.inner
	if vs.n > s.size/4 {
		return false
	}
	if depth != s.depth || s.n+vs.n >= s.size { // which is never left full
		c.flushInner(true)
		s.depth = depth
	}
	c.element.copy(c.element.index(s.at, s.n), vs.at, vs.n)
	s.n += vs.n
	return true
}

// sendDeep sends pebbles of a depth.
func (c *core) sendDeep(vs pebbles, inHandler bool, depth uint8) {
	c.engine.Count.PebblesSent += uint64(vs.n)
	if inHandler {
		c.out.Now = depth
		did := c.out.InstallQueue()
		s := c.inner.ready(&c.element)
		for vs.n > chunk {
			var head pebbles
			head, vs = c.element.chunk(vs)
			c.pass(s, head, true)
		}
		c.pass(s, vs, true)
		c.out.RemoveQueue(did)
		c.out.Filled = true
		return
	}
	c.busy = true
	for s := c.main.ready(&c.element); vs.n > 0; {
		var head pebbles
		head, vs = c.element.chunk(vs)
		c.out.Now = depth // handlers may have run
		c.pass(s, head, false)
		c.handleLocal()
		c.engine.Port.Fetch()
	}
	c.out.Filled, c.busy = true, false
	c.engine.HandleQueued()
}

// pass takes a chunk of pebbles to this rank's lane, or through the cache to the lane of the next hop.
func (c *core) pass(s *scratch, vs pebbles, inHandler bool) {
	advice := c.advice(vs.n)
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
		c.carrier.keep(s, s.home.first(home), s.keys[away:vs.n], inHandler)
	}
	c.reduced(s, away, inHandler)
	s.forget(&c.element, home, away)
}

// part copies the pebbles of this rank to s.home and the others, with their keys, to s.away and the front of s.keys.
func (c *core) part(s *scratch, vs pebbles, lanes []uint32) (home, away int) {
	self, e := uint32(c.out.Plan.Self), &c.element
	for i := range vs.n {
		v := e.index(vs.at, i)
		if lanes[i] == self {
			e.copyOne(e.index(s.home.at, home), v)
			home++
			continue
		}
		e.copyOne(e.index(s.away.at, away), v)
		s.keys[away] = s.keys[i]
		lanes[away] = lanes[i]
		away++
	}
	return home, away
}

// handleLocal handles what the main function has sent to its own rank.
func (c *core) handleLocal() {
	own := c.out.Own()
	if own.Len() == 0 {
		return
	}
	vs := pebbles{own.Base(), own.Len()}
	own.Reset()
	if c.mover == nil {
		c.run(vs)
	} else {
		before := c.engine.Handle(0) // keys may have left since their pebbles were put here
		c.sort(vs)
		c.engine.Handled(before)
	}
	c.element.forget(vs.at, vs.n)
}

// Flush implements engine.Endpoint.
func (c *core) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	moved, before := c.flushBuffers(), c.engine.Count.FramesSent
	if c.cache != nil && c.out.Filled && c.out.Leads(stage) {
		c.release(c.engine.InHandler()) // which may wait for room, and flush meanwhile
		c.out.Filled = true
	}
	left = c.out.Flush(why, stage)
	return moved || c.engine.Count.FramesSent != before, left
}

// Holds implements engine.Endpoint.
func (c *core) Holds() bool {
	return c.buffers.main.n > 0 || c.buffers.inner.n > 0 || c.out.Filled || c.held()
}

// FlushDue implements engine.Endpoint.
func (c *core) FlushDue(now time.Duration) {
	c.flushBuffers()
	if c.out.FlushDue(now, c.held()) || c.out.Prompt && c.Holds() {
		c.Flush(coalesce.Due, coalesce.AllStages)
	}
}
