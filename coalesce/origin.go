package coalesce

import "unsafe"

// Origin is a source of pebbles for an outbox: the main function, handlers and tasks, arrivals at a hop, or a reduction
// cache. Sends from several origins can be in progress at once, because handlers may run, and send, while the main
// function waits in the middle of a send. So the depth of the pebbles, the pebbles that stay on this rank and the
// permission to wait belong to the origin, not to the outbox.
type Origin struct {
	Depth  uint8  // of the pebbles that follow
	Waiter Waiter // lets a send wait; nil where sends never wait
	Queued bool   // pebbles for this rank join the outbox's queue instead of Home
	Home   Lane   // collects the pebbles for this rank; its owner empties it before it is full

	aside []uint64 // pebble of a lane that is getting its first frame
}

// Waiter lets the main function wait. Handlers may run meanwhile and put pebbles into the same outbox.
type Waiter interface {
	// AwaitCredit returns when a lane has no backlog. A frame has just left the lane.
	AwaitCredit(lane int)
	// AwaitBudget returns when another frame of the given number of bytes may be in flight.
	AwaitBudget(bytes int)
}

// few is the largest number of pebbles for which single puts cost less than a scatter loop.
const few = 4

// Put puts pebbles of plain data into lanes: pebble i into lane to[i]. The pebbles lie side by side at the given
// address. A lane that is full grows or sends its frame; a send whose origin has a Waiter may wait there. It costs
// about 1 ns per pebble for many, and does not allocate in steady state.
func (o *Outbox) Put(from *Origin, at unsafe.Pointer, to []uint32) {
	home := from.Home.Len()
	switch {
	case o.MaxUnits == 1:
		o.putAlone(from, at, to)
	case len(to) <= few:
		for i, l := range to {
			o.put(from, unsafe.Add(at, i*o.Unit), int(l))
		}
	default:
		o.putMany(from, at, to)
	}
	o.filled = o.filled || from.Home.Len()-home < len(to)
}

// putMany is Put by a scatter loop. The origin's lane for this rank stands in for the outbox's own.
func (o *Outbox) putMany(from *Origin, at unsafe.Pointer, to []uint32) {
	self, home := &o.lanes[o.Plan.Self], &from.Home
	if from.Queued {
		home = &o.queue.lane
	}
	for {
		if o.mixedDepths(from.Depth) {
			for _, l := range to {
				o.splitByDepth(int(l), from.Depth)
			}
			o.splitQueue(from.Depth)
		}
		*self = *home
		put, full := o.scatter(o.lanes, to, at)
		home.n = self.n
		if full >= 0 {
			o.makeRoom(from, full)
		}
		if put == len(to) {
			return
		}
		at, to = unsafe.Add(at, put*o.Unit), to[put:]
	}
}

// putAlone is Put for frames of one pebble. Each frame leaves at once, so no lane has a frame before.
func (o *Outbox) putAlone(from *Origin, at unsafe.Pointer, to []uint32) {
	for i, lane := range to {
		l, v := int(lane), unsafe.Add(at, i*o.Unit)
		if l == o.Plan.Self {
			o.putHome(from, v)
			continue
		}
		if from.Waiter != nil {
			from.Waiter.AwaitBudget(o.Unit)
		}
		o.attach(l, 1, from.Depth)
		Move(o.lanes[l].Append(o.Unit), v, o.Unit)
		o.sendFull(from, l)
	}
}

// put puts one pebble into a lane.
func (o *Outbox) put(from *Origin, v unsafe.Pointer, l int) {
	if l == o.Plan.Self {
		o.putHome(from, v)
		return
	}
	if o.mixedDepths(from.Depth) {
		o.splitByDepth(l, from.Depth)
	}
	lane := &o.lanes[l]
	Move(lane.Append(o.Unit), v, o.Unit)
	if lane.Full() {
		o.makeRoom(from, l)
	}
}

// PutHome puts n pebbles of plain data for this rank.
func (o *Outbox) PutHome(from *Origin, at unsafe.Pointer, n int) {
	for i := range n {
		o.putHome(from, unsafe.Add(at, i*o.Unit))
	}
}

func (o *Outbox) putHome(from *Origin, v unsafe.Pointer) {
	if !from.Queued {
		Move(from.Home.Append(o.Unit), v, o.Unit)
		return
	}
	o.enqueue(1, from.Depth)
	Move(o.queue.lane.Append(o.Unit), v, o.Unit)
	if o.queue.lane.Full() {
		o.sealQueue()
	}
}

// PutRecord appends a record to a lane. A record for this rank joins the queue. The memory of the record must not
// change while the origin's Waiter waits.
func (o *Outbox) PutRecord(from *Origin, l int, record []byte) {
	if l == o.Plan.Self {
		o.enqueueRecord(from, record)
		return
	}
	if o.mixedDepths(from.Depth) {
		o.splitByDepth(l, from.Depth)
	}
	o.supply(from, l, len(record))
	lane := &o.lanes[l]
	copy(o.frames[l].Space()[lane.Len():], record)
	lane.SetLen(lane.Len() + len(record))
	o.counts[l]++
	if int(o.counts[l]) >= o.Factor || lane.Len() >= o.MaxUnits {
		o.sendFull(from, l)
	}
	o.filled = true
}

// makeRoom makes room in a lane that is full: the lane gets its first frame, or its frame grows or leaves.
func (o *Outbox) makeRoom(from *Origin, l int) {
	lane := &o.lanes[l]
	switch {
	case l == o.Plan.Self:
		o.unspillQueue(from)
		return
	case o.frames[l] == nil:
		if o.unspill(from, l); !lane.Full() {
			return
		}
	}
	if n := lane.Len(); n < o.MaxUnits && o.grow(l, n+1) {
		return
	}
	o.sendFull(from, l)
}

// unspill gives a lane its first frame, and moves the pebble from the lane's spill into it. That pebble is kept aside
// while the origin waits, since handlers use the same lane.
func (o *Outbox) unspill(from *Origin, l int) {
	if from.aside == nil {
		from.aside = make([]uint64, o.Unit/8+1)
	}
	aside, lane := unsafe.Pointer(unsafe.SliceData(from.aside)), &o.lanes[l]
	Move(aside, lane.Base(), o.Unit)
	lane.Reset()
	o.supply(from, l, 1)
	Move(lane.Append(o.Unit), aside, o.Unit)
}

// sendFull sends the frame of a full lane, and waits for credit if the origin may wait.
func (o *Outbox) sendFull(from *Origin, l int) {
	o.emit(l, Full)
	if from.Waiter != nil {
		from.Waiter.AwaitCredit(l)
	}
}

// supply ensures that a lane has a frame with room for the given number of units. Handlers that run while the origin
// waits may fill the lane again.
func (o *Outbox) supply(from *Origin, l, units int) {
	for !o.hasRoom(l, units) {
		capacity := o.capacity(l, units)
		if from.Waiter != nil {
			from.Waiter.AwaitBudget(capacity * o.Unit)
			if o.mixedDepths(from.Depth) {
				o.splitByDepth(l, from.Depth)
			}
		}
		if o.frames[l] == nil {
			o.attach(l, capacity, from.Depth)
			return
		}
	}
}
