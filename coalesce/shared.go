package coalesce

import (
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/netio"
)

// shared is a buffer that the ranks of one process fill together, for one rank of another process: node-level aggregation.
// Each rank gathers a few pebbles in a small frame of its own and pours them in, under a lock, so that the lock and the
// copy cost about a nanosecond a pebble. Whoever finds the buffer full sends it. Links of different stages to one rank have a
// buffer each: a frame of a low stage may be held there, and must not keep the credit that one of a higher stage needs.
type shared struct {
	underWay netio.Account
	taken    atomic.Int64 // frames that a rank has taken out and not yet handed to the transport

	mu       sync.Mutex
	frame    *netio.Frame // nil when empty; of the pool of the rank that poured first
	capacity int          // units that the next frame should hold: it follows the traffic, as a lane's own
	units    int          // taken
	count    int          // pebbles
	pours    uint64       // so far
}

const (
	ownShare = 16 // a rank's own frame holds this part of a shared one at the most
	ownMin   = 64 // but at least so many bytes
)

// link names a shared buffer among those of a process.
type link struct {
	target uint16
	stage  int
	to     int
}

// sharedOf is what the ranks of the process have in common for a link; the first that asks makes it.
func (p *Process) sharedOf(l link) *shared {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared == nil {
		p.shared = map[link]*shared{}
	}
	if p.shared[l] == nil {
		p.shared[l] = new(shared)
	}
	return p.shared[l]
}

// share makes the lanes to ranks of other processes shared ones.
func (o *Outbox) share() {
	place := o.sender.Place
	o.shares = make([]*shared, len(o.Lanes))
	o.looks = make([]look, len(o.Lanes))
	o.taken = make([]*atomic.Int64, len(o.Lanes))
	o.maxOwnUnits = min(o.MaxUnits, max(o.MaxUnits/ownShare, ownMin/max(o.Unit, 1), 1))
	for l, rank := range o.Plan.Lanes {
		if place.ProcessOf(rank) == place.Process {
			continue
		}
		s := o.sender.Process.sharedOf(link{o.Index, o.stage(l), rank})
		o.shares[l], o.underWay[l], o.taken[l] = s, &s.underWay, &s.taken
		o.capacities[l] = int32(min(o.minUnits, o.maxOwnUnits))
	}
}

// sharedBy is the buffer that a lane is poured into; nil when it is sent itself.
func (o *Outbox) sharedBy(l int) *shared {
	if o.shares == nil {
		return nil
	}
	return o.shares[l]
}

// maxUnitsOf is how many units a lane's frame may hold.
func (o *Outbox) maxUnitsOf(l int) int {
	if o.sharedBy(l) != nil {
		return o.maxOwnUnits
	}
	return o.MaxUnits
}

// factorOf is how many pebbles a lane's frame may hold.
func (o *Outbox) factorOf(l int) int {
	if o.sharedBy(l) != nil {
		return max(o.Factor/ownShare, 1)
	}
	return o.Factor
}

// pour moves a lane's pebbles into its shared buffer, and sends that when it is full.
func (o *Outbox) pour(l int, s *shared) {
	o.Filled = true // also in the middle of a send, which may come to wait for room
	f, units, count := o.takeFrame(l)
	full := o.add(l, s, f, units, count)
	o.sender.detach(f)
	if full != nil {
		o.leave(l, full)
	}
}

// add copies n units of a frame into the shared buffer. It returns a frame that is full, or that the pebbles did not fit in.
func (o *Outbox) add(l int, s *shared, f *netio.Frame, n, count int) (full *netio.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pours++
	if s.frame != nil && !o.joins(s, f, n, count) {
		full = o.takeShared(l, s, Full)
	}
	if s.frame == nil || s.units+n > len(s.frame.Space())/o.Unit {
		o.enlarge(s, f, n)
	}
	copy(s.frame.Space()[s.units*o.Unit:], f.Space()[:n*o.Unit])
	s.units += n
	s.count += count
	if full == nil && (s.units >= o.MaxUnits || s.count >= o.Factor) {
		full = o.takeShared(l, s, Full)
	}
	return full
}

// joins tells whether pebbles may join those in the buffer.
func (o *Outbox) joins(s *shared, f *netio.Frame, n, count int) bool {
	return s.units+n <= o.MaxUnits && s.count+count <= o.Factor && (s.frame.Flags == f.Flags || !o.sender.Deep)
}

// enlarge gives the buffer a frame in which n more units find room.
func (o *Outbox) enlarge(s *shared, f *netio.Frame, n int) {
	if s.frame != nil {
		s.capacity = s.units * growth
	}
	s.capacity = min(o.MaxUnits, s.capacity)
	larger := o.sender.attach(o.Name, max(s.capacity, s.units+n)*o.Unit)
	o.sender.leave(larger) // it is in the account of whoever sends it
	larger.Flags = f.Flags
	if s.frame != nil {
		copy(larger.Space(), s.frame.Space()[:s.units*o.Unit])
		s.frame.Release()
	}
	s.frame = larger
}

// takeShared empties the shared buffer, and returns its frame, ready to leave. The buffer is locked and not empty.
//
// The frame has pebbles of other ranks, which find the buffer empty from now on, and may be idle before this rank has handed the frame
// over. Detectors that may be used with shared buffers still see the frame:
//
//   - skr agrees on sums of two rounds, and a round begins nowhere before the one before it has ended everywhere. A rank whose pebbles were taken
//     was not idle until then, so it takes part in a round, say k+1, only afterwards. If the taker has given its counts of round k+1 after it had
//     taken the frame, they include it: before that it was not idle, for it was in the middle of takeShared and leave, or had a backlog. If it has
//     given them before, then the other rank got its pebbles after round k had begun, from a frame that it processed between its counts of rounds k
//     and k+1 (bodies had returned): its count of processed frames differs, and the rounds do not agree.
//   - nbx asks whether the rank's frames are back. Those that carry its pebbles are: Back looks at taken besides, which counts the frame from here,
//     under the lock, until the account does.
func (o *Outbox) takeShared(l int, s *shared, why Reason) *netio.Frame {
	f := s.frame
	if why != Full && s.units < s.capacity/growth {
		s.capacity /= growth
	}
	o.sender.enter(f)
	o.seal(f, l, s.count, s.units, why)
	s.frame, s.units, s.count = nil, 0, 0
	s.taken.Add(1)
	return f
}

// flushShared pours what a lane holds, and sends the shared buffer. An idle rank waits until the others have poured nothing
// between two of its looks: they may be about to. It tells whether anything is left.
func (o *Outbox) flushShared(l int, s *shared, why Reason) (left bool) {
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
	looksMax   = 128
)

// quiet notes a look at a shared buffer, and tells whether there were enough in a row.
func (o *Outbox) quiet(l int, s *shared) bool {
	if seen := &o.looks[l]; seen.pours != s.pours {
		*seen = look{pours: s.pours}
	} else {
		seen.quiet++
	}
	return o.looks[l].quiet >= looksMax || o.looks[l].quiet >= looksAlone && o.sender.alone()
}

// look is what a rank remembers of a shared buffer.
type look struct {
	pours uint64
	quiet int // looks since in which nothing was poured
}

func (o *Outbox) takeQuiet(l int, s *shared, why Reason) (f *netio.Frame, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frame == nil {
		return nil, false
	}
	if !o.hasCredit(l) || why == Idle && !o.quiet(l, s) {
		return nil, true
	}
	return o.takeShared(l, s, why), false
}
