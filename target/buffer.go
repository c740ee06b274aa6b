package target

import "unsafe"

// SendBufferMax is the maximum number of pebbles that calls of [Target.Send] gather. A smaller coalescing factor lowers
// it, 16 KiB bound it for pebbles of more than 64 bytes, and handlers and tasks gather at most 64.
const SendBufferMax = 256

const (
	sendBufferBytes = 16 << 10
	innerMax        = 64 // for handlers, whose pebbles other ranks are more likely to wait for
)

// sendBuffer gathers the pebbles of single sends, so that a single send costs little more than its share of a SendAll:
// owners are computed, and handlers run, in batches. Pebbles that travel through a codec are sent one by one.
type sendBuffer struct {
	at    unsafe.Pointer
	size  int // capacity in pebbles
	n     int
	depth uint8 // of all pebbles in the buffer
}

// openBuffers makes the buffers of single sends.
func (c *core) openBuffers() {
	size := min(c.out.Factor, SendBufferMax, sendBufferBytes/max(1, c.element.size))
	if c.coded != nil {
		size = 1
	}
	c.body.buffer = newSendBuffer(&c.element, size)
	if !c.out.FlushOnCredit { // moves; only the main function lets them gather
		size = min(size, innerMax)
	}
	c.inner.buffer = newSendBuffer(&c.element, size)
}

func newSendBuffer(e *element, size int) sendBuffer {
	return sendBuffer{at: e.room(size), size: size, depth: 1}
}

// fillsNext reports whether the next pebble sends the gathered pebbles.
func (s *sendBuffer) fillsNext() bool { return s.n+1 >= s.size }

// put adds a pebble unless it would fill the buffer. It is small enough to be inlined.
func put[V any](s *sendBuffer, v V) bool {
	n := s.n
	if uint(n)+1 >= uint(s.size) {
		return false
	}
	*(*V)(unsafe.Add(s.at, uintptr(n)*unsafe.Sizeof(v))) = v
	s.n = n + 1
	return true
}

// fill adds the last pebble to the buffer of an origin, and sends the pebbles of the buffer.
func fill[V any](c *core, o *origin, v V) {
	s := &o.buffer
	n := s.n // a send on another goroutine, which is a mistake, may have changed it
	if uint(n) >= uint(s.size) {
		c.engine.Overlaps()
	}
	*(*V)(unsafe.Add(s.at, uintptr(n)*unsafe.Sizeof(v))) = v
	s.n = n + 1
	c.engine.Begin()
	c.flushBuffer(o)
	c.engine.End()
}

// callFlush is flushBuffer within a call of the program.
func (c *core) callFlush(o *origin) {
	c.engine.Begin()
	c.flushBuffer(o)
	c.engine.End()
}

// flushBuffer sends the pebbles of an origin's buffer, and reports whether it held any. If a handler flushes the main
// function's pebbles, they are sent as the handler's.
func (c *core) flushBuffer(o *origin) bool {
	b := o.buffer
	if b.n == 0 {
		return false
	}
	o.buffer.n = 0
	if c.engine.Rank.InHandler() {
		o = &c.inner
	}
	c.sendFrom(o, pebbles{b.at, b.n}, b.depth)
	c.element.forget(b.at, b.n)
	return true
}

// flushBuffers sends the pebbles of both buffers. It skips the main function's buffer during a send of the main
// function, which waits and lets others look for buffers that are due.
func (c *core) flushBuffers() (moved bool) {
	if !c.body.busy {
		moved = c.flushBuffer(&c.body)
	}
	return c.flushBuffer(&c.inner) || moved
}

// gather puts a pebble into the buffer of handlers.
func gather[V any](c *core, v V) {
	o := &c.inner
	if depth := c.engine.NextDepth(); depth != o.buffer.depth {
		c.callFlush(o)
		o.buffer.depth = depth
	}
	if !put(&o.buffer, v) {
		fill(c, o, v)
	}
}

// gatherAll puts a batch into the buffer of handlers, if the batch is so short that sending it directly would cost more
// than its pebbles.
func (c *core) gatherAll(vs pebbles, depth uint8) bool {
	s := &c.inner.buffer
	if vs.n > s.size/4 {
		return false
	}
	if depth != s.depth || s.n+vs.n >= s.size { // the buffer is never left full
		c.callFlush(&c.inner)
		s.depth = depth
	}
	c.element.copy(c.element.index(s.at, s.n), vs.at, vs.n)
	s.n += vs.n
	return true
}
