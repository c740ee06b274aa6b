package coalesce

import (
	"math"
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Outbox holds the buffers of one target on one rank for one topology: a lane for each neighbour, the frames that the
// lanes fill, and the queue of pebbles that handlers send to the rank itself. A lane gets its frame with its first
// pebble. The frame is small, and grows with use up to the coalescing factor: memory follows the traffic.
//
// An outbox puts the pebbles of an [Origin], and waits only through the origin's [Waiter].
type Outbox struct {
	Label
	Shape
	Plan *route.Plan
	Links

	lanes      []Lane
	queue      queue
	scatter    Scatter
	filled     bool           // a lane may hold pebbles put since the last flush
	blanks     []Lane         // by lane: its state without a frame; the last one is that of the queue
	frames     []*netio.Frame // by lane; nil if no pebble was put since the last frame left
	capacities []int32        // by lane: units of the next frame
	counts     []int32        // by lane: records in it; nil when units are pebbles
	minUnits   int            // units of a lane's first frame
	lanesDue   *Overdue       // nil when pebbles may wait without limit
	heldDue    *Overdue       // for pebbles that a cache holds back
	first      int            // lane where the next flush starts: flushes in step would all hit the same rank
	last       uint8          // depth of the last pebbles put; 0 when none of them is left
	mixed      bool           // frames of several depths may be filling, where depths travel apart
}

// Label is the part of a target that each of its frames carries, and the target's name for errors.
type Label struct {
	Name        string
	Index       uint16
	Fingerprint uint32 // of the pebble type
}

// Shape describes the frames of an outbox.
type Shape struct {
	Unit     int  // bytes of a unit: of a pebble, or 1 for records
	MaxUnits int  // units of a full frame
	Factor   int  // most pebbles in a frame
	Records  bool // pebbles are records of bytes, of varying length
	// FlushOnCredit makes pebbles that a flush left for lack of credit leave as soon as there is some. Such a target
	// shares no buffer with another rank's pebbles.
	FlushOnCredit bool
}

// Bytes returns the bytes of pebbles in a full frame.
func (s Shape) Bytes() int { return s.MaxUnits * s.Unit }

// Open makes the lanes for a topology. They replace the lanes of an earlier topology, which must be empty. Credit and
// frames in flight belong to ranks, and stay.
func (o *Outbox) Open(s *Sender, label Label, t route.Topology, shape Shape) {
	plan := route.NewPlan(t, s.Rank)
	n := len(plan.Lanes)
	*o = Outbox{
		Label: label, Shape: shape, Plan: plan, lanes: make([]Lane, n), Links: o.Links, blanks: shape.blanks(n + 1),
		frames: make([]*netio.Frame, n), capacities: make([]int32, n), minUnits: MinUnits(shape.MaxUnits, shape.Unit),
		first: s.Rank % n,
	}
	copy(o.lanes, o.blanks)
	for l := range o.capacities {
		o.capacities[l] = int32(o.minUnits)
	}
	if shape.Records {
		o.counts = make([]int32, n)
	} else {
		o.scatter = ScatterOf(shape.Unit)
	}
	o.queue.lane = o.blanks[n]
	if s.Due > 0 {
		o.lanesDue = NewOverdue(s.Due, n)
		o.heldDue = NewOverdue(heldFactor*s.Due, 1)
	}
	o.open(s, t, plan, shape.Bytes())
}

// blanks makes n lanes without frames. Each lies over one pebble of spill memory, so that putting a pebble needs no
// check for a frame: the lane is full after one pebble, and gets its frame then.
func (s Shape) blanks(n int) []Lane {
	blanks := make([]Lane, n)
	if s.Records {
		return blanks
	}
	spill := unsafe.Pointer(unsafe.SliceData(make([]uint64, n*s.Unit/8+1)))
	for l := range blanks {
		blanks[l] = NewLane(unsafe.Add(spill, l*s.Unit), 1)
	}
	return blanks
}

// Reshape changes the coalescing factor. Frames in use keep their size.
func (o *Outbox) Reshape(maxUnits, factor int) {
	o.MaxUnits, o.Factor = maxUnits, factor
	o.minUnits = MinUnits(maxUnits, o.Unit)
	o.credits = int64(o.sender.Credits(maxUnits * o.Unit))
	for l := range o.capacities {
		o.capacities[l] = min(o.capacities[l], int32(maxUnits))
	}
}

// Holds reports whether a lane may hold pebbles that a flush would send.
func (o *Outbox) Holds() bool { return o.filled }

// hasRoom reports whether a lane has a frame with room for the given number of units. The frame grows, or leaves if it
// can't.
func (o *Outbox) hasRoom(l, units int) bool {
	if o.frames[l] == nil {
		return false
	}
	lane := &o.lanes[l]
	need := lane.Len() + units
	if need <= lane.Cap() || o.grow(l, need) {
		return true
	}
	o.emit(l, Full)
	return false
}

// capacity returns the number of units for the next frame of a lane: at least the given number, and more as far as
// memory allows.
func (o *Outbox) capacity(l, units int) int {
	c := int(o.capacities[l])
	if c > o.minUnits && !o.sender.affords(c*o.Unit) {
		c = o.minUnits
	}
	return max(c, units)
}

// attach gives a lane without a frame one of the given capacity. It fails the job if that would exceed the memory
// limit.
func (o *Outbox) attach(l, capacity int, depth uint8) {
	f := o.sender.lend(o.Name, capacity*o.Unit)
	o.sender.startFilling(f)
	f.Flags = depth
	o.frames[l] = f
	o.lanes[l] = NewLane(f.Base(), capacity)
}

// grow moves the contents of a lane into a larger frame. It reports false if memory does not allow that.
func (o *Outbox) grow(l, need int) bool {
	n, old := o.lanes[l].Len(), o.frames[l]
	capacity := min(o.MaxUnits, max(n*growth, need))
	if capacity < need || !o.sender.affords(capacity*o.Unit) {
		return false
	}
	o.capacities[l] = int32(capacity)
	o.attach(l, capacity, old.Flags)
	copy(o.frames[l].Space(), old.Space()[:n*o.Unit])
	o.lanes[l].SetLen(n)
	o.sender.endFilling(old)
	old.Release()
	return true
}

// emit sends the frame of a lane, or puts it into the backlog. The lane then has no frame.
func (o *Outbox) emit(l int, why Reason) {
	if n := o.lanes[l].Len(); why != Full && n < int(o.capacities[l])/growth {
		o.capacities[l] = int32(max(o.minUnits, int(o.capacities[l])/growth))
	}
	f := o.takeFrame(l)
	f.Kind, f.Target, f.Epoch, f.Check = netio.Data, o.Index, o.sender.Epoch, o.Fingerprint
	f.From, f.To = uint32(o.sender.Rank), uint32(o.Plan.Lanes[l])
	countLeft(&o.sender.Count, why)
	if o.sender.Sealed != nil {
		o.sender.Sealed(int(f.To), int(f.Bytes), why)
	}
	o.sendOrQueue(l, f)
}

// takeFrame removes the frame that a lane fills, and writes the number of pebbles and bytes into it.
func (o *Outbox) takeFrame(l int) *netio.Frame {
	f, units := o.frames[l], o.lanes[l].Len()
	f.Count, f.Bytes = uint32(units), uint32(units*o.Unit)
	if o.counts != nil {
		f.Count = uint32(o.counts[l])
		o.counts[l] = 0
	}
	o.frames[l] = nil
	o.lanes[l] = o.blanks[l]
	if o.lanesDue != nil {
		o.lanesDue.Left(l)
	}
	o.sender.endFilling(f)
	return f
}

// mixedDepths reports whether lanes must be checked before pebbles of a depth are put, because frames of several depths
// may be filling. Only epochs that send depths apart need this.
func (o *Outbox) mixedDepths(depth uint8) bool {
	if !o.sender.Deep {
		return false
	}
	if depth != o.last {
		o.mixed = o.mixed || o.last != 0
		o.last = depth
	}
	return o.mixed
}

// splitByDepth sends the frame of a lane if it holds pebbles of another depth than the given one.
func (o *Outbox) splitByDepth(l int, depth uint8) {
	if f := o.frames[l]; f != nil && f.Flags != depth {
		o.emit(l, Deep)
	}
}

// FirstBytes returns the bytes of pebbles in a lane's first frame.
func (o *Outbox) FirstBytes() int { return o.minUnits * o.Unit }

// AllStages is greater than the stage of every link.
const AllStages = math.MaxInt
