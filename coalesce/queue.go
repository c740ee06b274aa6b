package coalesce

import "github.com/activepebbles/pebbles/netio"

// Queue holds what handlers send to their own rank, so that a send in a handler never runs another handler. While
// handlers run, its lane stands in for the lane that the main function uses for pebbles of its own rank.
type Queue struct {
	Installed bool

	lane    Lane         // the one that is not in use now: the queue's, or the main function's
	frame   *netio.Frame // what the queue's lane fills; nil when the lane has none
	waiting netio.Frames // sealed
}

const recordsBytes = 16 << 10 // of a frame of records, unless one needs more

// InstallQueue puts the queue's lane in place of the rank's own until RemoveQueue is called. It tells whether it was
// not there already.
func (o *Outbox) InstallQueue() bool {
	if o.Queue.Installed {
		return false
	}
	o.swap(true)
	return true
}

// RemoveQueue undoes InstallQueue, which has told whether it did anything.
func (o *Outbox) RemoveQueue(did bool) {
	if did {
		o.swap(false)
	}
}

func (o *Outbox) swap(installed bool) {
	own := o.Own()
	o.Queue.lane, *own = *own, o.Queue.lane
	o.Queue.Installed = installed
}

// Enqueue makes sure that the queue's lane, which is installed, has room for so many units more.
func (o *Outbox) Enqueue(units int) {
	q, own := &o.Queue, o.Own()
	if q.frame != nil && (own.Len()+units > own.Cap() || o.sender.Deep && q.frame.Flags != o.Now) {
		o.SealQueue()
	}
	if q.frame == nil {
		capacity := o.MaxUnits
		if o.Records {
			capacity = max(recordsBytes, units)
		}
		q.frame = o.sender.lend(o.Name, capacity*o.Unit)
		o.sender.Queued += q.frame.Cost()
		q.frame.Flags = o.Now
		*own = NewLane(q.frame.Base(), capacity)
	}
}

// HasQueue tells whether the queue's lane has a frame.
func (o *Outbox) HasQueue() bool { return o.Queue.frame != nil }

// EnqueueRecord appends a record to the queue.
func (o *Outbox) EnqueueRecord(record []byte) {
	o.Enqueue(len(record))
	own := o.Own()
	copy(o.Queue.frame.Space()[own.Len():], record)
	own.SetLen(own.Len() + len(record))
	o.counts[o.Plan.Self]++
}

// SplitQueue closes the queue's frame when it is about to get pebbles of another depth than it holds.
func (o *Outbox) SplitQueue() {
	if f := o.Queue.frame; f != nil && f.Flags != o.Now {
		o.SealQueue()
	}
}

// SealQueue moves what the queue's lane holds to the end of the queue.
func (o *Outbox) SealQueue() {
	lane := &o.Queue.lane
	if o.Queue.Installed {
		lane = o.Own()
	}
	f, n := o.Queue.frame, lane.Len()
	f.Count, f.Bytes = uint32(n), uint32(n*o.Unit)
	if self := o.Plan.Self; o.counts != nil {
		f.Count = uint32(o.counts[self])
		o.counts[self] = 0
	}
	o.Queue.waiting.Push(f)
	o.Queue.frame = nil
	*lane = o.blanks[len(o.Lanes)]
}

// TakeQueue takes out all that is queued. What handlers send from here on waits for the next time.
func (o *Outbox) TakeQueue() netio.Frames {
	if o.Queue.frame != nil {
		o.SealQueue()
	}
	return o.Queue.waiting.Move()
}

// Dequeued gives back a frame of the queue whose pebbles were handled.
func (o *Outbox) Dequeued(f *netio.Frame) {
	o.sender.Queued -= f.Cost()
	f.Release()
}
