package coalesce

import (
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/termination"
)

// Sender is one rank as far as its buffers go: what the outboxes of its targets share. It is for that rank's goroutine.
// The engine makes one, and sets what changes with each epoch.
type Sender struct {
	Options
	Rank   int
	Port   netio.Port
	Pool   *netio.Pool
	Engine Engine
	Failed *atomic.Bool // the job has

	Epoch      uint32
	Deep       bool                            // pebbles of different depths travel in different frames
	HoldFrames bool                            // a task is running: frames that it fills leave when the rank goes on
	Sealed     func(to, bytes int, why Reason) // is told of each frame that is full or flushed; nil for nobody
	Ledger     *termination.Ledger             // of the frames that are sent, for detectors that keep one; nil for others

	Count   Counters
	Created uint64 // data frames handed to the transport
	Backlog int    // sealed frames that wait for credit

	Filling     int64         // bytes of frames in lanes
	Buffers     int           // frames in lanes
	BuffersPeak int           // the most that there were
	Queued      int64         // bytes of frames of pebbles that handlers sent to this rank
	Reserved    int64         // bytes that targets keep until they are freed: reduction caches
	Messages    netio.Account // control frames that have not come back
}

// Options are the settings of a job that its buffers go by.
type Options struct {
	Credits func(frameBytes int) int // frames that a link may have in flight
	// limit of the time that a pebble waits in a buffer while its rank sends; none if not positive
	Due          time.Duration
	BufferBudget int64 // bytes in flight at which the main function waits
	MemoryLimit  int64 // bytes at which the job fails
}

// Engine is what outboxes ask of their rank.
type Engine interface {
	// Leave leaves the program, for the job has failed.
	Leave()
	// Exceeded fails the job: a target needs so many bytes, which are more than the memory limit.
	Exceeded(target string, needed int64)
}

// Check leaves the program when the job has failed.
func (s *Sender) Check() {
	if s.Failed.Load() {
		s.Engine.Leave()
	}
}

// startFilling notes a frame that a lane fills from here on.
func (s *Sender) startFilling(f *netio.Frame) {
	s.Filling += f.Cost()
	s.Buffers++
	s.BuffersPeak = max(s.BuffersPeak, s.Buffers)
}

// endFilling notes that no lane fills the frame any more.
func (s *Sender) endFilling(f *netio.Frame) {
	s.Filling -= f.Cost()
	s.Buffers--
}

// lend lends a frame with room for so many bytes. It fails the job when the memory limit is passed.
func (s *Sender) lend(target string, bytes int) *netio.Frame {
	cost := netio.FrameCost(bytes)
	if s.Pool.Held()+cost+s.Reserved > s.MemoryLimit {
		s.Pool.Trim() // lets go of idle frames
		if needed := s.Pool.Lent() + cost + s.Reserved; needed > s.MemoryLimit {
			s.Engine.Exceeded(target, needed)
		}
	}
	return s.Pool.Get(bytes)
}

// affords tells whether a lane may have a frame of so many bytes in place of a small one: what fills may take half of
// what the memory limit leaves beside caches, so that frames in flight have the other half.
func (s *Sender) affords(bytes int) bool {
	cost, limit := netio.FrameCost(bytes), s.MemoryLimit-s.Reserved
	return s.Filling+cost <= limit/2 && (s.Pool.LentAtMost()+cost <= limit || s.Pool.Lent()+cost <= limit)
}

// Fits reports whether another frame of so many bytes may be in flight. Messages of detectors don't count: they come
// back when their receiver looks at them, which may be waiting for room as well.
func (s *Sender) Fits(bytes int) bool {
	cost := netio.FrameCost(bytes)
	return s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost)
}

// FitsHalf is Fits within half of the budget, and tells besides whether what waits for this rank's handlers is within
// it: for tasks, which leave the other half to what handlers send and can't wait for, the answers to what tasks of
// others ask.
func (s *Sender) FitsHalf(bytes int) bool {
	cost := netio.FrameCost(bytes) + s.BufferBudget/2
	return s.Queued <= s.BufferBudget && (s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost))
}

// fits tells whether another frame of so many bytes may be in flight when so many are lent.
func (s *Sender) fits(lent, cost int64) bool {
	inFlight := lent - s.Filling - s.Queued - s.Messages.InFlight()*netio.FrameCost(0)
	return inFlight <= 0 || inFlight+cost <= s.BufferBudget && lent+cost+s.Reserved <= s.MemoryLimit
}

// transmit hands a sealed frame to the transport; the account of its link counts it. The frame is gone afterwards.
func (s *Sender) transmit(f *netio.Frame) {
	s.Check()
	if s.Ledger != nil {
		f.Tag = s.Ledger.Create(int(f.To))
	}
	s.Created++
	s.Count.FramesSent++
	s.Count.BytesSent += uint64(f.Bytes)
	s.Port.Send(f)
}
