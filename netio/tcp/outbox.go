package tcp

import (
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// outbox holds the frames that wait for the writer of a lane. Anybody may put; one goroutine takes. After close, what is
// in it and what is put later is released.
type outbox struct {
	queue   netio.Stack
	closed  atomic.Bool
	parking idle.Parking
}

// put never blocks. A frame that is pushed while the outbox is closed is seen by one of the two: whoever closes looks at
// the queue after it has closed, and put looks whether it is closed after it has pushed.
func (o *outbox) put(f *netio.Frame) {
	o.queue.Push(f)
	if o.closed.Load() {
		o.discard()
		return
	}
	o.parking.Notify()
}

// awake reports whether the writer looks for work before it rests, so that nobody need wake it.
func (o *outbox) awake() bool { return !o.closed.Load() && !o.parking.Announced() }

// close may be called again, by anybody.
func (o *outbox) close() {
	o.closed.Store(true)
	o.discard()
	o.parking.Wake()
}

func (o *outbox) discard() {
	all := o.queue.Take()
	all.Release()
}
