package coalesce

import (
	"math"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Outbox is the buffers of one target on one rank for one topology: a lane for each neighbour and one for the rank
// itself, and the frames that they fill. A lane gets its frame with its first pebble, a small one, which grows with
// use: memory follows the traffic, up to the coalescing factor.
//
// An outbox never waits and never calls its target: it tells what has become of a lane, and whoever sends waits.
type Outbox struct {
	Label
	Shape
	Plan   *route.Plan
	Lanes  []Lane
	Now    uint8 // depth of the pebbles that are being put
	Filled bool  // something was put into a lane or a cache since the last flush; set last by every send, which may flush
	Queue  Queue
	Links

	own        *Lane          // the one to the rank itself
	blanks     []Lane         // by lane: what it is without a frame; and one more, of the queue
	frames     []*netio.Frame // by lane; nil when nothing was sent since the last frame left
	capacities []int32        // by lane: units that the next frame should hold
	counts     []int32        // by lane: pebbles in a lane of records; nil when units are pebbles
	minUnits   int            // of a lane's first frame
	lanesDue   *Overdue       // nil when pebbles may wait for ever
	heldDue    *Overdue       // of the pebbles that a cache holds back
	first      int            // lane at which the next flush starts: flushes in step would all hit the same rank
	last       uint8          // depth of the pebbles that were put before; 0 when nothing is left of them
	mixed      bool           // frames of several depths may be filling, where depths travel apart
}

// Label is what every frame of a target carries, and its name for errors.
type Label struct {
	Name        string
	Index       uint16
	Fingerprint uint32 // of the pebble type
}

// Shape is what the frames of an outbox hold.
type Shape struct {
	Unit     int  // bytes of a unit: of a pebble, or 1 for records
	MaxUnits int  // of a frame
	Factor   int  // pebbles of a frame at the most
	Records  bool // pebbles are records of bytes, which differ in length
	Prompt   bool // what a flush finds no credit for leaves as soon as there is some; no buffer is shared
}

// Bytes are those of the pebbles of a full frame.
func (s Shape) Bytes() int { return s.MaxUnits * s.Unit }

// Open makes the lanes of a plan, in place of those that there were, which must be empty. blanks are what lanes without
// a frame are: one for each, and one more for the queue's.
func (o *Outbox) Open(s *Sender, label Label, t route.Topology, plan *route.Plan, blanks []Lane, shape Shape) {
	n := len(plan.Lanes)
	*o = Outbox{
		Label: label, Shape: shape, Plan: plan, Lanes: make([]Lane, n), Links: o.Links, blanks: blanks,
		frames: make([]*netio.Frame, n), capacities: make([]int32, n), minUnits: MinUnits(shape.MaxUnits, shape.Unit),
		first: s.Rank % n,
	}
	o.own = &o.Lanes[plan.Self]
	copy(o.Lanes, o.blanks)
	for l := range o.capacities {
		o.capacities[l] = int32(o.minUnits)
	}
	if shape.Records {
		o.counts = make([]int32, n)
	}
	o.Queue.lane = o.blanks[n]
	if s.Due > 0 {
		o.lanesDue = NewOverdue(s.Due, n)
		o.heldDue = NewOverdue(heldFactor*s.Due, 1)
	}
	o.open(s, t, plan, shape.Bytes())
}

// Reshape takes over another coalescing factor. Frames that are filling keep their size.
func (o *Outbox) Reshape(maxUnits, factor int) {
	o.MaxUnits, o.Factor = maxUnits, factor
	o.minUnits = MinUnits(maxUnits, o.Unit)
	o.credits = int64(o.sender.Credits(maxUnits * o.Unit))
	for l := range o.capacities {
		o.capacities[l] = min(o.capacities[l], int32(maxUnits))
	}
}

// Own is the lane to the rank itself.
func (o *Outbox) Own() *Lane { return o.own }

// HasFrame tells whether a lane fills a frame.
func (o *Outbox) HasFrame(l int) bool { return o.frames[l] != nil }

// SendFull makes room in a lane that is full: its frame grows, or else leaves, or waits for credit. It tells whether it
// has left; see Links.Waits then. A lane without a frame needs one: see Attach.
func (o *Outbox) SendFull(l int) (left, empty bool) {
	if o.frames[l] == nil {
		return false, true
	}
	if n := o.Lanes[l].Len(); !o.Records && n < o.MaxUnits && o.grow(l, n+1) {
		return false, false
	}
	o.emit(l, Full)
	return true, false
}

// MakeRoom reports whether a lane has a frame with room for so many units more. The frame grows, or leaves where it
// can't.
func (o *Outbox) MakeRoom(l, units int) bool {
	if o.frames[l] == nil {
		return false
	}
	lane := &o.Lanes[l]
	need := lane.Len() + units
	if need <= lane.Cap() || o.grow(l, need) {
		return true
	}
	o.emit(l, Full)
	return false
}

// Capacity is how many units the next frame of a lane should hold, as far as memory allows it, but so many at the
// least.
func (o *Outbox) Capacity(l, units int) int {
	c := int(o.capacities[l])
	if c > o.minUnits && !o.sender.affords(c*o.Unit) {
		c = o.minUnits
	}
	return max(c, units)
}

// Attach gives a lane that has no frame one for so many units. It fails the job when memory has none.
func (o *Outbox) Attach(l, capacity int) {
	f := o.sender.lend(o.Name, capacity*o.Unit)
	o.sender.startFilling(f)
	f.Flags = o.Now
	o.frames[l] = f
	o.Lanes[l] = NewLane(f.Base(), capacity)
}

// AddRecord appends a record to a lane that has room for it, and tells whether the lane is full now.
func (o *Outbox) AddRecord(l int, record []byte) (full bool) {
	lane := &o.Lanes[l]
	copy(o.frames[l].Space()[lane.Len():], record)
	lane.SetLen(lane.Len() + len(record))
	o.counts[l]++
	return int(o.counts[l]) >= o.Factor || lane.Len() >= o.MaxUnits
}

// grow moves a full lane that may hold more into a larger frame, and tells whether it did: memory may not allow it.
func (o *Outbox) grow(l, need int) bool {
	n, old := o.Lanes[l].Len(), o.frames[l]
	capacity := min(o.MaxUnits, max(n*growth, need))
	if capacity < need || !o.sender.affords(capacity*o.Unit) {
		return false
	}
	o.capacities[l] = int32(capacity)
	o.Attach(l, capacity)
	o.frames[l].Flags = old.Flags
	copy(o.frames[l].Space(), old.Space()[:n*o.Unit])
	o.Lanes[l].SetLen(n)
	o.sender.endFilling(old)
	old.Release()
	return true
}

// emit sends a lane's frame, or lets it wait for credit. The lane is without a frame then.
func (o *Outbox) emit(l int, why Reason) {
	if n := o.Lanes[l].Len(); why != Full && n < int(o.capacities[l])/growth {
		o.capacities[l] = int32(max(o.minUnits, int(o.capacities[l])/growth))
	}
	f, units, count := o.takeFrame(l)
	o.seal(f, l, count, units, why)
	o.hand(l, f)
}

// takeFrame takes out the frame that a lane fills, with so many units and pebbles.
func (o *Outbox) takeFrame(l int) (f *netio.Frame, units, count int) {
	f, units = o.frames[l], o.Lanes[l].Len()
	count = units
	if o.counts != nil {
		count = int(o.counts[l])
		o.counts[l] = 0
	}
	o.frames[l] = nil
	o.Lanes[l] = o.blanks[l]
	if o.lanesDue != nil {
		o.lanesDue.Left(l)
	}
	return f, units, count
}

// seal makes a frame ready to leave on a lane.
func (o *Outbox) seal(f *netio.Frame, l, count, units int, why Reason) {
	s := o.sender
	s.endFilling(f)
	f.Kind, f.Target, f.Epoch, f.Check = netio.Data, o.Index, s.Epoch, o.Fingerprint
	f.From, f.To, f.Count, f.Bytes = uint32(s.Rank), uint32(o.Plan.Lanes[l]), uint32(count), uint32(units*o.Unit)
	s.Count.left(why)
	if s.Sealed != nil {
		s.Sealed(o.Plan.Lanes[l], units*o.Unit, why)
	}
}

// MixedDepths reports whether a lane must be looked at before a pebble is put: it may hold pebbles of another depth. It
// is for epochs in which depths travel apart.
func (o *Outbox) MixedDepths() bool {
	if o.Now != o.last {
		o.mixed = o.mixed || o.last != 0
		o.last = o.Now
	}
	return o.mixed
}

// SplitByDepth sends a lane's frame when it is about to get pebbles of another depth than it holds.
func (o *Outbox) SplitByDepth(l int) {
	if f := o.frames[l]; f != nil && f.Flags != o.Now {
		o.emit(l, Deep)
	}
}

// FirstBytes are those of the pebbles of a lane's first frame.
func (o *Outbox) FirstBytes() int { return o.minUnits * o.Unit }

// AllStages is a stage that no link is beyond.
const AllStages = math.MaxInt
