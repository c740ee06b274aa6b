package coalesce

import "github.com/activepebbles/pebbles/netio"

// queue holds the pebbles that handlers send to their own rank. So a send in a handler never runs another handler.
type queue struct {
	lane    Lane
	frame   *netio.Frame // filled by lane; nil when the lane has none
	waiting netio.Frames // sealed
}

const recordsBytes = 16 << 10 // of a frame of records, unless one record needs more

// enqueue ensures that the queue's lane has room for the given number of units of a depth.
func (o *Outbox) enqueue(units int, depth uint8) {
	q := &o.queue
	o.mixedDepths(depth) // records the depth for pebbles that a scatter loop puts
	if q.frame != nil && (q.lane.Len()+units > q.lane.Cap() || o.sender.Deep && q.frame.Flags != depth) {
		o.sealQueue()
	}
	if q.frame != nil {
		return
	}
	capacity := o.MaxUnits
	if o.Records {
		capacity = max(recordsBytes, units)
	}
	q.frame = o.sender.lend(o.Name, capacity*o.Unit)
	o.sender.Queued += q.frame.Cost()
	q.frame.Flags = depth
	q.lane = NewLane(q.frame.Base(), capacity)
}

// enqueueRecord appends a record to the queue.
func (o *Outbox) enqueueRecord(from *Origin, record []byte) {
	o.enqueue(len(record), from.Depth)
	lane := &o.queue.lane
	copy(o.queue.frame.Space()[lane.Len():], record)
	lane.SetLen(lane.Len() + len(record))
	o.counts[o.Plan.Self]++
	o.filled = true
}

// unspillQueue makes room in the queue's lane, which is full: the lane gets its first frame, or its frame is sealed.
func (o *Outbox) unspillQueue(from *Origin) {
	q := &o.queue
	if q.frame == nil {
		spilled := q.lane.Base()
		o.enqueue(1, from.Depth)
		Move(q.lane.Append(o.Unit), spilled, o.Unit)
	}
	if q.lane.Full() {
		o.sealQueue()
	}
}

// splitQueue seals the queue's frame if it holds pebbles of another depth than the given one.
func (o *Outbox) splitQueue(depth uint8) {
	if f := o.queue.frame; f != nil && f.Flags != depth {
		o.sealQueue()
	}
}

// sealQueue moves the frame of the queue's lane to the end of the queue.
func (o *Outbox) sealQueue() {
	q := &o.queue
	f, n := q.frame, q.lane.Len()
	f.Count, f.Bytes = uint32(n), uint32(n*o.Unit)
	if self := o.Plan.Self; o.counts != nil {
		f.Count = uint32(o.counts[self])
		o.counts[self] = 0
	}
	q.waiting.Push(f)
	q.frame, q.lane = nil, o.blanks[len(o.lanes)]
}

// TakeQueue removes and returns all queued frames. Pebbles that handlers send afterwards wait for the next call. The
// caller passes each frame to Dequeued.
func (o *Outbox) TakeQueue() netio.Frames {
	if o.queue.frame != nil {
		o.sealQueue()
	}
	return o.queue.waiting.Move()
}

// Dequeued releases a frame of the queue after its pebbles have been handled.
func (o *Outbox) Dequeued(f *netio.Frame) {
	o.sender.Queued -= f.Cost()
	f.Release()
}
