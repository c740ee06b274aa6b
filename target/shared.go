package target

import (
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// shared is a buffer that the ranks of one process fill together, for one rank of another process: node-level aggregation.
// Each rank gathers a few pebbles in a small frame of its own and pours them in, under a lock, so that the lock and the
// copy cost about a nanosecond a pebble. Whoever finds the buffer full sends it. Links of different stages to one rank have a
// buffer each: a frame of a low stage may be held there, and must not keep the credit that one of a higher stage needs.
type shared struct {
	underWay netio.Account
	taken    atomic.Int64 // frames that a rank has taken out and not yet handed to the transport

	mu    sync.Mutex
	frame *netio.Frame // nil when empty; of the pool of the rank that poured first
	room  int          // units that the next frame should hold: it follows the traffic, as a lane's own
	units int          // taken
	count int          // pebbles
	pours uint64       // so far
}

const (
	miniShare = 16 // a rank's own frame holds this part of a shared one at the most
	miniLeast = 64 // but at least so many bytes
)

// share makes the lanes to ranks of other processes shared ones.
func (o *outbox) share() {
	place := o.door.Place()
	o.shares = make([]*shared, len(o.lanes))
	o.mini = min(o.most, max(o.most/miniShare, miniLeast/max(o.unit, 1), 1))
	for l, rank := range o.plan.Lanes {
		if place.ProcessOf(rank) == place.Process {
			continue
		}
		link := o.stage(l)*o.door.Size() + rank
		o.shares[l] = o.door.Common(link, func() any { return new(shared) }).(*shared)
		o.underWay[l] = &o.shares[l].underWay
		o.rooms[l] = int32(min(o.least, o.mini))
	}
	o.seen = make([]look, len(o.lanes))
	o.taken = make([]*atomic.Int64, len(o.lanes))
	for l, s := range o.shares {
		if s != nil {
			o.taken[l] = &s.taken
		}
	}
}

// sharedBy is the buffer that a lane is poured into; nil when it is sent itself.
func (o *outbox) sharedBy(l int) *shared {
	if o.shares == nil {
		return nil
	}
	return o.shares[l]
}

// mostOf is how many units a lane's frame may hold.
func (o *outbox) mostOf(l int) int {
	if o.sharedBy(l) != nil {
		return o.mini
	}
	return o.most
}

// factorOf is how many pebbles a lane's frame may hold.
func (o *outbox) factorOf(l int) int {
	if o.sharedBy(l) != nil {
		return max(o.factor/miniShare, 1)
	}
	return o.factor
}

// pour moves a lane's pebbles into its shared buffer, and sends that when it is full.
func (o *outbox) pour(l int, s *shared) {
	o.filled = true // also in the middle of a send, which may come to wait for room
	f, n := o.frames[l], o.lanes[l].Len()
	count := n
	if o.counts != nil {
		count = int(o.counts[l])
		o.counts[l] = 0
	}
	full := o.add(l, s, f, n, count)
	o.frames[l] = nil
	o.lanes[l] = o.blank(l)
	o.door.Detach(f)
	if full != nil {
		o.leave(l, full)
	}
}

// add copies n units of a frame into the shared buffer. It returns a frame that is full, or that the pebbles did not fit in.
func (o *outbox) add(l int, s *shared, f *netio.Frame, n, count int) (full *netio.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pours++
	if s.frame != nil && !o.joins(s, f, n, count) {
		full = o.take(l, s, coalesce.Full)
	}
	if s.frame == nil || s.units+n > len(s.frame.Space())/o.unit {
		o.enlarge(s, f, n)
	}
	copy(s.frame.Space()[s.units*o.unit:], f.Space()[:n*o.unit])
	s.units += n
	s.count += count
	if full == nil && (s.units >= o.most || s.count >= o.factor) {
		full = o.take(l, s, coalesce.Full)
	}
	return full
}

// joins tells whether pebbles may join those in the buffer.
func (o *outbox) joins(s *shared, f *netio.Frame, n, count int) bool {
	return s.units+n <= o.most && s.count+count <= o.factor && (s.frame.Flags == f.Flags || !o.door.Deep())
}

// enlarge gives the buffer a frame in which n more units find room.
func (o *outbox) enlarge(s *shared, f *netio.Frame, n int) {
	if s.frame != nil {
		s.room = s.units * growth
	}
	s.room = min(o.most, s.room)
	larger := o.door.Attach(max(s.room, s.units+n) * o.unit)
	o.door.Withdraw(larger) // whoever sends it will adopt it
	larger.Flags = f.Flags
	if s.frame != nil {
		copy(larger.Space(), s.frame.Space()[:s.units*o.unit])
		s.frame.Release()
	}
	s.frame = larger
}

// take empties the shared buffer, and returns its frame, ready to leave. The buffer is locked and not empty.
//
// The frame has pebbles of other ranks, which find the buffer empty from now on, and may be idle before this rank has handed the frame
// over. Detectors that may be used with shared buffers still see the frame:
//
//   - skr agrees on sums of two rounds, and a round begins nowhere before the one before it has ended everywhere. A rank whose pebbles were taken
//     was not idle until then, so it takes part in a round, say k+1, only afterwards. If the taker has given its counts of round k+1 after it had
//     taken the frame, they include it: before that it was not idle, for it was in the middle of take and leave, or had a backlog. If it has
//     given them before, then the other rank got its pebbles after round k had begun, from a frame that it processed between its counts of rounds k
//     and k+1 (bodies had returned): its count of processed frames differs, and the rounds do not agree.
//   - nbx asks whether the rank's frames are back. Those that carry its pebbles are: Back looks at taken besides, which counts the frame from here,
//     under the lock, until the account does.
func (o *outbox) take(l int, s *shared, why coalesce.Reason) *netio.Frame {
	f := s.frame
	if why != coalesce.Full && s.units < s.room/growth {
		s.room /= growth
	}
	o.door.Adopt(f)
	o.door.Seal(f, o.plan.Lanes[l], s.count, s.units*o.unit, why)
	s.frame, s.units, s.count = nil, 0, 0
	s.taken.Add(1)
	return f
}

// flushShared pours what a lane holds, and sends the shared buffer. An idle rank waits until the others have poured nothing
// between two of its looks: they may be about to. It tells whether anything is left.
func (o *outbox) flushShared(l int, s *shared, why coalesce.Reason) (left bool) {
	if o.frames[l] != nil {
		o.pour(l, s)
	}
	f, left := o.takeQuiet(l, s, why)
	if f != nil {
		o.leave(l, f)
	}
	return left
}

// A rank that is idle leaves a shared buffer to the others for so many looks in which they pour nothing: for a few when none
// of them can have more to send but by handlers, for longer when their bodies run. It must not be for ever: what they wait
// for may be in it.
const (
	looksAlone = 16
	looksMost  = 128
)

// quiet notes a look at a shared buffer, and tells whether there were enough in a row.
func (o *outbox) quiet(l int, s *shared) bool {
	if seen := &o.seen[l]; seen.pours != s.pours {
		*seen = look{pours: s.pours}
	} else {
		seen.quiet++
	}
	return o.seen[l].quiet >= looksMost || o.seen[l].quiet >= looksAlone && o.door.Alone()
}

// look is what a rank remembers of a shared buffer.
type look struct {
	pours uint64
	quiet int // looks since in which nothing was poured
}

func (o *outbox) takeQuiet(l int, s *shared, why coalesce.Reason) (f *netio.Frame, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frame == nil {
		return nil, false
	}
	if !o.has(l) || why == coalesce.Idle && !o.quiet(l, s) {
		return nil, true
	}
	return o.take(l, s, why), false
}
