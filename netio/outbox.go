package netio

import "sync/atomic"

// outbox holds the frames that wait for the writer of a lane. Anybody may put; one goroutine takes. After close, what is
// in it and what is put later is released.
type outbox struct {
	queue   stack
	closed  atomic.Bool
	parking parking
}

// put never blocks. A frame that is pushed while the outbox is closed is seen by one of the two: whoever closes looks at
// the queue after it has closed, and put looks whether it is closed after it has pushed.
func (o *outbox) put(f *Frame) {
	o.queue.push(f)
	if o.closed.Load() {
		releaseAll(o.queue.takeAll())
		return
	}
	o.parking.notify()
}

// awake reports whether the writer looks for work before it rests, so that nobody need wake it.
func (o *outbox) awake() bool { return !o.closed.Load() && !o.parking.parked.Load() }

// close may be called again, by anybody.
func (o *outbox) close() {
	o.closed.Store(true)
	releaseAll(o.queue.takeAll())
	o.parking.wake()
}
