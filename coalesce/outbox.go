package coalesce

import (
	"math"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Outbox is the buffers of one target on one rank for one topology: a lane for each neighbour and one for the rank itself, and the
// frames that they fill. A lane gets its frame with its first pebble, a small one, which grows with use: memory follows the
// traffic, up to the coalescing factor.
type Outbox struct {
	Label
	Shape
	Plan   *route.Plan
	Lanes  []Lane
	Now    uint8 // depth of the pebbles that are being put
	Filled bool  // something was put into a lane or a cache since the last flush; set last by every send, which may flush
	Queue  Queue

	sender     *Sender
	target     Target
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

	// Credit.
	credits  int64                  // frames in flight on a lane, at most
	accounts map[int]*netio.Account // by rank, whatever the topology
	underWay []*netio.Account       // by lane; lanes that ranks of a process share have one
	taken    []*atomic.Int64        // by lane: frames taken out of a shared buffer and not yet launched, by any rank; nil when no lane is shared
	backlogs []netio.Frames         // by lane: frames that wait for credit, oldest first; nil before the first had to
	waiting  []int                  // lanes with a backlog
	staged   route.Staged           // nil when the topology has no order
	stages   []int32                // by lane, when staged
	highest  int                    // stage among waiting lanes; -1 for none

	// Shared buffers.
	shares      []*shared // by lane; nil where a lane is this rank's own, and when no lane is shared
	maxOwnUnits int       // units of a rank's own frame at the most, on a shared lane
	looks       []look    // by lane: its shared buffer, as it was at the last looks
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

// Target is what an outbox asks of the target that fills it.
type Target interface {
	// Blanks are what lanes without a frame are: so many, and one more for the queue's.
	Blanks(lanes int) []Lane
	// Release moves what a cache holds back into the lanes.
	Release()
	// HandleLocal handles what the main function has put aside for its own rank. It comes before a wait, in which handlers run.
	HandleLocal()
}

// Open makes the lanes of a topology, in place of those that there were, which must be empty.
func (o *Outbox) Open(s *Sender, label Label, target Target, t route.Topology, shape Shape) {
	plan := route.NewPlan(t, s.Rank)
	n := len(plan.Lanes)
	*o = Outbox{
		Label: label, Shape: shape, Plan: plan, Lanes: make([]Lane, n), sender: s, target: target, accounts: o.accounts,
		frames: make([]*netio.Frame, n), capacities: make([]int32, n), minUnits: MinUnits(shape.MaxUnits, shape.Unit),
		first: s.Rank % n,
	}
	o.blanks = target.Blanks(n)
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
	o.openCredit(t)
	if s.Shared && !shape.Prompt {
		o.share()
	}
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
func (o *Outbox) Own() *Lane { return &o.Lanes[o.Plan.Self] }

// HasFrame tells whether a lane fills a frame.
func (o *Outbox) HasFrame(l int) bool { return o.frames[l] != nil }

// Supply makes sure that a lane has room for so many units more, and fails the job when memory has none. waits says that the main
// function is sending: then it may wait, and let handlers run, which use the same lanes.
func (o *Outbox) Supply(l, units int, waits bool) {
	for {
		if o.frames[l] != nil {
			lane := &o.Lanes[l]
			if need := lane.Len() + units; need <= lane.Cap() || o.grow(l, need) {
				return
			}
			o.emit(l, Full)
		}
		capacity := max(o.capacityOf(l), units)
		if waits {
			depth := o.Now // handlers may run
			o.target.HandleLocal()
			o.sender.awaitRoom(capacity * o.Unit)
			o.Now = depth
			if o.MixedDepths() {
				o.SplitByDepth(l)
			}
		}
		if o.frames[l] == nil {
			o.attach(l, capacity)
			return
		}
	}
}

// SendFull sends on a lane's frame that is full, unless it may grow. Main function's sends wait until the link has credit again.
func (o *Outbox) SendFull(l int, waits bool) {
	if n := o.Lanes[l].Len(); !o.Records && n < o.maxUnitsOf(l) && o.grow(l, n+1) {
		return
	}
	o.emit(l, Full)
	if waits {
		depth := o.Now // handlers may run
		o.target.HandleLocal()
		o.awaitCredit(l)
		o.Now = depth
	}
}

// AddRecord appends a record to a lane that has room for it, and tells whether the lane is full now.
func (o *Outbox) AddRecord(l int, record []byte) (full bool) {
	lane := &o.Lanes[l]
	copy(o.frames[l].Space()[lane.Len():], record)
	lane.SetLen(lane.Len() + len(record))
	o.counts[l]++
	return int(o.counts[l]) >= o.factorOf(l) || lane.Len() >= o.maxUnitsOf(l)
}

// capacityOf is how many units the next frame of a lane should hold, as far as memory allows it.
func (o *Outbox) capacityOf(l int) int {
	c := int(o.capacities[l])
	if c > o.minUnits && !o.sender.affords(c*o.Unit) {
		return o.minUnits
	}
	return c
}

// attach gives a lane a frame for so many units.
func (o *Outbox) attach(l, capacity int) {
	f := o.sender.attach(o.Name, capacity*o.Unit)
	f.Flags = o.Now
	o.frames[l] = f
	o.Lanes[l] = NewLane(f.Base(), capacity)
}

// grow moves a full lane that may hold more into a larger frame, and tells whether it did: memory may not allow it.
func (o *Outbox) grow(l, need int) bool {
	n, old := o.Lanes[l].Len(), o.frames[l]
	capacity := min(o.maxUnitsOf(l), max(n*growth, need))
	if capacity < need || !o.sender.affords(capacity*o.Unit) {
		return false
	}
	o.capacities[l] = int32(capacity)
	o.attach(l, capacity)
	o.frames[l].Flags = old.Flags
	copy(o.frames[l].Space(), old.Space()[:n*o.Unit])
	o.Lanes[l].SetLen(n)
	o.sender.detach(old)
	return true
}

// emit sends a lane's frame, or lets it wait for credit. The lane is without a frame then. A shared lane's pebbles go into
// the frame that the ranks of this process fill together.
func (o *Outbox) emit(l int, why Reason) {
	if s := o.sharedBy(l); s != nil {
		o.pour(l, s)
		return
	}
	if n := o.Lanes[l].Len(); why != Full && n < int(o.capacities[l])/growth {
		o.capacities[l] = int32(max(o.minUnits, int(o.capacities[l])/growth))
	}
	f, units, count := o.takeFrame(l)
	o.seal(f, l, count, units, why)
	o.leave(l, f)
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
	s.leave(f)
	f.Kind, f.Target, f.Epoch, f.Check = netio.Data, o.Index, s.Epoch, o.Fingerprint
	f.From, f.To, f.Count, f.Bytes = uint32(s.Rank), uint32(o.Plan.Lanes[l]), uint32(count), uint32(units*o.Unit)
	s.Count.left(why)
}

// MixedDepths tells whether a lane must be looked at before a pebble is put: it may hold pebbles of another depth.
func (o *Outbox) MixedDepths() bool { return o.sender.Deep && o.mixedDepths() }

func (o *Outbox) mixedDepths() bool {
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

// AllStages is a stage that no link is beyond.
const AllStages = math.MaxInt
