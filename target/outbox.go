package target

import (
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// outbox is a target's lanes, one for each neighbour and one for the rank itself, and the frames that they fill. A lane
// gets its frame with its first pebble, a small one, which grows with use: memory follows the traffic, up to the
// coalescing factor.
type outbox struct {
	door   *pebble.Door
	plan   *route.Plan
	lanes  []coalesce.Lane // their unit is a pebble, or a byte of coded pebbles
	frames []*netio.Frame  // by lane; nil when nothing was sent since the last frame left
	rooms  []int32         // by lane: units that the next frame should hold
	counts []int32         // by lane: pebbles in a coded lane; nil when units are pebbles
	unit   int             // bytes
	most   int             // units of a frame at the most
	least  int             // units of a lane's first frame
	due    *coalesce.Due
	first  int  // lane at which the next flush starts: flushes in step would all hit the same rank
	filled bool // something was put into a lane or a cache since the last flush; set last by every send, which may flush
	queue  queue
}

const (
	growth     = 8   // a lane's frame grows and shrinks by this factor
	leastBytes = 192 // of a lane's first frame: with its header, 256
)

func (o *outbox) open(door *pebble.Door, plan *route.Plan, unit, most int) {
	o.door, o.plan, o.unit, o.most = door, plan, unit, most
	o.least = min(most, max(1, leastBytes/max(unit, 1)))
	o.lanes = make([]coalesce.Lane, len(plan.Lanes))
	o.frames = make([]*netio.Frame, len(plan.Lanes))
	o.rooms = make([]int32, len(plan.Lanes))
	for l := range o.rooms {
		o.rooms[l] = int32(o.least)
	}
	if limit := door.Config().Due; limit > 0 {
		o.due = coalesce.NewDue(limit, len(plan.Lanes))
	}
	o.first = door.ID() % len(plan.Lanes)
}

// attach gives a lane a frame for so many units.
func (o *outbox) attach(l, room int) {
	f := o.door.Attach(room * o.unit)
	o.frames[l] = f
	o.lanes[l] = coalesce.Over(f.Base(), room)
}

// grow moves a full lane that may hold more into a larger frame, and tells whether it did.
func (o *outbox) grow(l, need int) bool {
	lane, old := &o.lanes[l], o.frames[l]
	room := min(o.most, max(lane.Len()*growth, need))
	if room < need {
		return false
	}
	n := lane.Len()
	o.rooms[l] = int32(room)
	o.attach(l, room)
	copy(o.frames[l].Space(), old.Space()[:n*o.unit])
	o.lanes[l].Taken(n)
	o.door.Detach(old)
	return true
}

// emit sends a lane's frame. The lane is without a frame then.
func (o *outbox) emit(l int, why pebble.Reason) {
	f, n := o.frames[l], o.lanes[l].Len()
	if why != pebble.Full && n < int(o.rooms[l])/growth {
		o.rooms[l] = int32(max(o.least, int(o.rooms[l])/growth))
	}
	count := n
	if o.counts != nil {
		count = int(o.counts[l])
		o.counts[l] = 0
	}
	o.frames[l] = nil
	o.lanes[l] = coalesce.Lane{}
	if o.due != nil {
		o.due.Left(l)
	}
	o.door.Dispatch(f, o.plan.Lanes[l], count, n*o.unit, why)
}

// flush sends what waits in the cache, which release moves to the lanes, and in the lanes. It tells whether there was
// anything.
func (o *outbox) flush(why pebble.Reason, release func(inHandler bool), emit func(l int, why pebble.Reason)) bool {
	if !o.filled {
		return false
	}
	o.filled = false
	before := o.door.Count().FramesSent
	release(o.door.Enter())
	o.flushLanes(why, emit)
	return o.door.Count().FramesSent != before
}

// flushLanes sends every frame that holds a pebble.
func (o *outbox) flushLanes(why pebble.Reason, emit func(l int, why pebble.Reason)) {
	n := len(o.lanes)
	for i := range n {
		l := (o.first + i) % n
		if o.frames[l] != nil {
			emit(l, why)
		}
	}
	o.first = (o.first + 1) % n
}

// look sends the lanes that are due, and tells whether pebbles that a cache holds back are due too.
func (o *outbox) look(now time.Duration, held bool, emit func(l int, why pebble.Reason)) (heldDue bool) {
	if o.due == nil {
		return false
	}
	for l, f := range o.frames {
		if l != o.plan.Self && o.due.Look(l, f != nil, now) {
			emit(l, pebble.Due)
		}
	}
	return o.due.Look(o.plan.Self, held, now)
}
