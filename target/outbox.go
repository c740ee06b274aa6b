package target

import (
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// outbox is a target's lanes, one for each neighbour and one for the rank itself, and the frames that they fill. A lane
// gets its frame with its first pebble, a small one, which grows with use: memory follows the traffic, up to the
// coalescing factor.
type outbox struct {
	plan   *route.Plan
	lanes  []coalesce.Lane // their unit is a pebble, or a byte of coded pebbles
	frames []*netio.Frame  // by lane; nil when nothing was sent since the last frame left
	rooms  []int32         // by lane: units that the next frame should hold
	counts []int32         // by lane: pebbles in a coded lane; nil when units are pebbles
	unit   int             // bytes
	most   int             // units of a frame at the most
	factor int             // pebbles of a frame at the most
	least  int             // units of a lane's first frame
	due    *coalesce.Overdue
	kept   *coalesce.Overdue // of the pebbles that a cache holds back
	first  int               // lane at which the next flush starts: flushes in step would all hit the same rank
	filled bool              // something was put into a lane or a cache since the last flush; set last by every send, which may flush
	now    uint8             // depth of the pebbles that are being put
	last   uint8             // depth of those that were put before; 0 when nothing is left of them
	mixed  bool              // frames of several depths may be filling, where depths travel apart
	queue  queue
	prompt bool // see promptly
	credit

	shares  []*shared                 // by lane; nil where a lane is this rank's own, and when no lane is shared
	mini    int                       // units of a rank's own frame at the most, on a shared lane
	seen    []look                    // by lane: its shared buffer, as it was at the last looks
	blank   func(l int) coalesce.Lane // what a lane without a frame is
	release func(inHandler bool)      // moves what the cache holds back into the lanes
}

const (
	growth     = 8   // a lane's frame grows and shrinks by this factor
	heldFactor = 100 // times as long as in a buffer a pebble may wait in a cache, where the next may meet it
	leastBytes = 192 // of a lane's first frame: with its header, 256
)

func (o *outbox) open(door *engine.Target, plan *route.Plan, unit, most, factor int) {
	o.plan, o.unit, o.most, o.factor = plan, unit, most, factor
	o.least = leastOf(most, unit)
	o.lanes = make([]coalesce.Lane, len(plan.Lanes))
	o.frames = make([]*netio.Frame, len(plan.Lanes))
	o.rooms = make([]int32, len(plan.Lanes))
	o.credit.open(door, plan, most*unit)
	for l := range o.rooms {
		o.rooms[l] = int32(o.least)
	}
	if limit := door.Config().Due; limit > 0 {
		o.due = coalesce.NewOverdue(limit, len(plan.Lanes))
		o.kept = coalesce.NewOverdue(heldFactor*limit, 1)
	}
	o.first = door.ID() % len(plan.Lanes)
	if door.Config().Shared && !o.prompt {
		o.share()
	}
}

// leastOf is how many units a lane's first frame holds.
func leastOf(most, unit int) int { return min(most, max(1, leastBytes/max(unit, 1))) }

// roomOf is how many units the next frame of a lane should hold, as far as memory allows it.
func (o *outbox) roomOf(l int) int {
	if room := int(o.rooms[l]); room <= o.least || o.door.Affords(room*o.unit) {
		return room
	}
	return o.least
}

// attach gives a lane a frame for so many units.
func (o *outbox) attach(l, room int) {
	f := o.door.Attach(room * o.unit)
	f.Flags = o.now
	o.frames[l] = f
	o.lanes[l] = coalesce.Over(f.Base(), room)
}

// grow moves a full lane that may hold more into a larger frame, and tells whether it did: memory may not allow it.
func (o *outbox) grow(l, need int) bool {
	lane, old := &o.lanes[l], o.frames[l]
	room := min(o.mostOf(l), max(lane.Len()*growth, need))
	if room < need || !o.door.Affords(room*o.unit) {
		return false
	}
	n := lane.Len()
	o.rooms[l] = int32(room)
	o.attach(l, room)
	o.frames[l].Flags = old.Flags
	copy(o.frames[l].Space(), old.Space()[:n*o.unit])
	o.lanes[l].Taken(n)
	o.door.Detach(old)
	return true
}

// emit sends a lane's frame, or lets it wait for credit. The lane is without a frame then. A shared lane's pebbles go into
// the frame that the ranks of this process fill together.
func (o *outbox) emit(l int, why coalesce.Reason) {
	if s := o.sharedBy(l); s != nil {
		if o.due != nil {
			o.due.Left(l)
		}
		o.pour(l, s)
		return
	}
	f, n := o.frames[l], o.lanes[l].Len()
	if why != coalesce.Full && n < int(o.rooms[l])/growth {
		o.rooms[l] = int32(max(o.least, int(o.rooms[l])/growth))
	}
	count := n
	if o.counts != nil {
		count = int(o.counts[l])
		o.counts[l] = 0
	}
	o.frames[l] = nil
	o.lanes[l] = o.blank(l)
	if o.due != nil {
		o.due.Left(l)
	}
	o.door.Seal(f, o.plan.Lanes[l], count, n*o.unit, why)
	o.leave(l, f)
}

// flush sends what waits in the cache and in the lanes for links of a stage up to the given one. The cache is emptied when
// a lane's link is of that very stage: until then more may come that can be merged. A lane without credit keeps its pebbles,
// and gets more of them meanwhile. It tells whether anything was sent, and whether such a lane is left.
func (o *outbox) flush(why coalesce.Reason, stage int) (sent, left bool) {
	if !o.filled {
		return false, false
	}
	before := o.door.Count().FramesSent
	drained := stage == engine.AllStages || o.leads(stage)
	if drained {
		o.release(o.door.InHandler()) // which may wait for room, and flush meanwhile
	}
	o.filled = false
	kept, left := o.flushLanes(why, stage)
	o.filled = o.filled || kept || left || !drained
	if !o.filled && o.queue.frame == nil {
		o.last, o.mixed = 0, false
	}
	return o.door.Count().FramesSent != before, left
}

// flushLanes sends the frames that hold a pebble. It tells whether it has kept some for a later stage, and whether some are
// left for want of credit.
func (o *outbox) flushLanes(why coalesce.Reason, stage int) (kept, left bool) {
	n := len(o.lanes)
	for i := range n {
		l := (o.first + i) % n
		if s := o.sharedBy(l); s != nil {
			left = o.flushShared(l, s, why) || left
			continue
		}
		switch {
		case o.frames[l] == nil:
		case o.stage(l) > stage:
			kept = true
		case !o.has(l) && (why != coalesce.Explicit || o.waits(l)):
			left = true
		default:
			o.emit(l, why)
		}
	}
	o.first = (o.first + 1) % n
	return kept, left
}

// look sends the lanes that are due, and tells whether pebbles that a cache holds back are due too.
func (o *outbox) look(now time.Duration, held bool) (heldDue bool) {
	if o.due == nil {
		return false
	}
	for l, f := range o.frames {
		if l == o.plan.Self || !o.due.Look(l, f != nil, now) || !o.has(l) {
			continue
		}
		if s := o.sharedBy(l); s != nil {
			o.flushShared(l, s, coalesce.Due)
		} else {
			o.emit(l, coalesce.Due)
		}
	}
	if !o.kept.Look(0, held, now) {
		return false
	}
	o.kept.Left(0)
	return true
}

// minds tells whether a lane must be looked at before a pebble is put: it may hold pebbles of another depth.
func (o *outbox) minds() bool {
	if !o.door.Deep() {
		return false
	}
	if o.now != o.last {
		o.mixed = o.mixed || o.last != 0
		o.last = o.now
	}
	return o.mixed
}

// apart sends a lane's frame when it is about to get pebbles of another depth than it holds.
func (o *outbox) apart(l int) {
	if f := o.frames[l]; f != nil && f.Flags != o.now {
		o.emit(l, coalesce.Deep)
	}
}
