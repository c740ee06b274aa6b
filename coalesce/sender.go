package coalesce

import (
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/termination"
)

// Sender is the part of a rank that the outboxes of its targets share. It is for that rank's goroutine. The engine
// makes one, and sets the fields that change with each epoch.
type Sender struct {
	Options
	Rank   int
	Port   netio.Port
	Pool   *netio.Pool
	Engine Engine
	Failed *atomic.Bool // the job has failed

	Epoch      uint32
	Deep       bool                            // pebbles of different depths travel in different frames
	HoldFrames bool                            // a task is running: frames that it fills leave afterwards
	Sealed     func(to, bytes int, why Reason) // called for each frame that leaves a lane; may be nil
	Ledger     *termination.Ledger             // of frames sent, for detectors that keep one; else nil

	Count   Counters
	Created uint64 // data frames handed to the transport
	Backlog int    // sealed frames that wait for credit

	Filling     int64         // bytes of frames in lanes
	Buffers     int           // frames in lanes
	BuffersPeak int           // most frames in lanes at one time
	Queued      int64         // bytes of frames of pebbles that handlers sent to this rank
	Reserved    int64         // bytes that targets keep until they are freed: reduction caches
	Messages    netio.Account // control frames that have not come back
}

// Options are the job's settings for buffers.
type Options struct {
	Credits func(frameBytes int) int // frames that a link may have in flight
	// limit of the time that a pebble waits in a buffer while its rank sends; none if not positive
	Due          time.Duration
	BufferBudget int64 // bytes in flight at which the main function waits
	MemoryLimit  int64 // bytes at which the job fails
}

// Engine is the interface of outboxes to their rank.
type Engine interface {
	// Leave unwinds the stack of the program after the job has failed.
	Leave()
	// Exceeded fails the job: a target needs the given number of bytes, more than the memory limit.
	Exceeded(target string, needed int64)
}

// Check unwinds the stack of the program if the job has failed.
func (s *Sender) Check() {
	if s.Failed.Load() {
		s.Engine.Leave()
	}
}

// startFilling counts a frame that a lane starts to fill.
func (s *Sender) startFilling(f *netio.Frame) {
	s.Filling += f.Cost()
	s.Buffers++
	s.BuffersPeak = max(s.BuffersPeak, s.Buffers)
}

// endFilling counts a frame that no lane fills any more.
func (s *Sender) endFilling(f *netio.Frame) {
	s.Filling -= f.Cost()
	s.Buffers--
}

// lend returns a frame with room for the given number of bytes. It fails the job if that would exceed the memory limit.
func (s *Sender) lend(target string, bytes int) *netio.Frame {
	cost := netio.FrameCost(bytes)
	if s.Pool.Held()+cost+s.Reserved > s.MemoryLimit {
		s.Pool.Trim() // frees idle frames
		if needed := s.Pool.Lent() + cost + s.Reserved; needed > s.MemoryLimit {
			s.Engine.Exceeded(target, needed)
		}
	}
	return s.Pool.Get(bytes)
}

// affords reports whether a lane may have a frame of the given size instead of a small one. Filling frames may take
// half of the memory limit, less caches; frames in flight have the other half.
func (s *Sender) affords(bytes int) bool {
	cost, limit := netio.FrameCost(bytes), s.MemoryLimit-s.Reserved
	return s.Filling+cost <= limit/2 && (s.Pool.LentAtMost()+cost <= limit || s.Pool.Lent()+cost <= limit)
}

// Fits reports whether another frame of the given size may be in flight. Messages of detectors don't count: they come
// back when their receiver looks at them, and it may be waiting for room as well.
func (s *Sender) Fits(bytes int) bool {
	cost := netio.FrameCost(bytes)
	return s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost)
}

// FitsHalf reports whether the frame fits within half of the budget, and the pebbles that wait for this rank's handlers
// fit within the budget. It is for tasks. They leave the other half to handlers, whose sends, such as answers to other
// ranks' tasks, can't wait.
func (s *Sender) FitsHalf(bytes int) bool {
	cost := netio.FrameCost(bytes) + s.BufferBudget/2
	return s.Queued <= s.BufferBudget && (s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost))
}

// fits reports whether a frame of the given cost may be in flight beside the bytes that are lent.
func (s *Sender) fits(lent, cost int64) bool {
	inFlight := lent - s.Filling - s.Queued - s.Messages.InFlight()*netio.FrameCost(0)
	return inFlight <= 0 || inFlight+cost <= s.BufferBudget && lent+cost+s.Reserved <= s.MemoryLimit
}

// transmit hands a sealed frame to the transport; the account of its link counts it. The caller must not use it again.
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
