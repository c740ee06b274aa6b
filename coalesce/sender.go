package coalesce

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/termination"
)

// Sender is one rank as far as its buffers go: what the outboxes of its targets share. It is for that rank's goroutine. The engine
// makes one, and sets what changes with each epoch.
type Sender struct {
	Options
	Rank    int
	Spins   int // idle polls before the rank parks
	Place   netio.Place
	Port    netio.Port
	Pool    *netio.Pool
	Process *Process
	Engine  Engine
	Failed  *atomic.Bool // the job has

	Epoch  uint32
	Deep   bool                // pebbles of different depths travel in different frames
	Aside  bool                // a task is running: frames that it fills leave when the rank goes on, and not on the task's stack
	Ledger *termination.Ledger // of the frames that are sent, for detectors that keep one; nil for others

	Count   Counters
	Created uint64 // data frames handed to the transport
	Backlog int    // sealed frames that wait for credit

	Filling     int64         // bytes of frames in lanes
	Buffers     int           // frames in lanes
	BuffersPeak int           // the most that there were
	Queued      int64         // bytes of frames of pebbles that handlers sent to this rank
	Reserved    int64         // bytes that targets keep for the whole job, such as reduction caches
	Messages    netio.Account // control frames that have not come back
}

// Options are the settings of a job that its buffers go by.
type Options struct {
	Credits      func(frameBytes int) int // frames that a link may have in flight
	Due          time.Duration            // a pebble may wait so long in a buffer while its rank sends; not positive is for ever
	Shared       bool                     // ranks of a process share their buffers for ranks of other processes
	BufferBudget int64                    // bytes in flight at which the main function waits
	MemoryLimit  int64                    // bytes at which the job fails
}

// Engine is what outboxes ask of their rank when they must wait or fail. None of it is called for each pebble.
type Engine interface {
	// Leave leaves the program, for the job has failed.
	Leave()
	// Progress handles what has arrived. It is for the main function's side, as are the next three.
	Progress() bool
	// Turn is Progress in a wait: now and then it sends what is due as well.
	Turn() bool
	// Rest lets others run, or parks, after so many turns in a row found nothing.
	Rest(idle int)
	// Flush sends what all targets hold back, as Outbox.Flush does.
	Flush(why Reason, stage int) (sent, left bool)
	// Exceeded fails the job: a target needs so many bytes, which are more than the memory limit.
	Exceeded(target string, needed int64)
}

// Process is what the ranks of one process share.
type Process struct {
	Ranks  int
	Bodies atomic.Uint32 // epoch bodies of its ranks that have returned, in all epochs; it may wrap

	mu     sync.Mutex
	shared map[link]*shared
}

// Check leaves the program when the job has failed.
func (s *Sender) Check() {
	if s.Failed.Load() {
		s.Engine.Leave()
	}
}

// alone tells whether no other rank of the process is about to send but in handlers: all their bodies of this epoch have
// returned, as far as can be told from how many have in all epochs.
func (s *Sender) alone() bool {
	return int32(s.Process.Bodies.Load()-s.Epoch*uint32(s.Process.Ranks)) >= 0
}

// attach lends a frame with room for so many bytes, for a lane to fill. It fails the job when the memory limit is passed.
func (s *Sender) attach(target string, bytes int) *netio.Frame {
	f := s.lend(target, bytes)
	s.enter(f)
	return f
}

// detach gives back a frame lent by attach that is not sent.
func (s *Sender) detach(f *netio.Frame) {
	s.leave(f)
	f.Release()
}

// enter notes a frame that a lane fills from here on.
func (s *Sender) enter(f *netio.Frame) {
	s.Filling += f.Cost()
	s.Buffers++
	s.BuffersPeak = max(s.BuffersPeak, s.Buffers)
}

// leave notes that no lane fills the frame any more.
func (s *Sender) leave(f *netio.Frame) {
	s.Filling -= f.Cost()
	s.Buffers--
}

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

// affords tells whether a lane may have a frame of so many bytes in place of a small one: what fills may take half of what the
// memory limit leaves beside caches, so that frames in flight have the other half.
func (s *Sender) affords(bytes int) bool {
	cost, limit := netio.FrameCost(bytes), s.MemoryLimit-s.Reserved
	return s.Filling+cost <= limit/2 && (s.Pool.LentAtMost()+cost <= limit || s.Pool.Lent()+cost <= limit)
}

// awaitRoom waits until another frame with room for so many bytes may be in flight, and handles what arrives meanwhile. Messages of
// detectors don't count: they come back when their receiver looks at them, which may be waiting for room as well.
func (s *Sender) awaitRoom(bytes int) {
	cost := netio.FrameCost(bytes)
	for idle := 0; ; idle++ {
		if s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost) {
			return
		}
		s.Count.Waits++
		if s.Engine.Turn() {
			idle = 0
			continue
		}
		if idle >= s.Spins && s.Shares() {
			s.Engine.Flush(Due, AllStages) // what this rank waits for may lie in a buffer that it shares, and that nobody else will send
		}
		s.Engine.Rest(idle)
	}
}

// fits tells whether another frame of so many bytes may be in flight when so many are lent.
func (s *Sender) fits(lent, cost int64) bool {
	underWay := lent - s.Filling - s.Queued - s.Messages.UnderWay()*netio.FrameCost(0)
	return underWay <= 0 || underWay+cost <= s.BufferBudget && lent+cost+s.Reserved <= s.MemoryLimit
}

// Shares tells whether any buffers of this job are shared.
func (s *Sender) Shares() bool { return s.Shared && s.Place.Processes > 1 }

// turn is one turn of a wait on the main function's side: it handles what has arrived, or rests. idle is how many turns
// before it found nothing; it returns that number for the next.
func (s *Sender) turn(idle int) int {
	s.Check()
	if s.Engine.Turn() {
		return 0
	}
	s.Count.Waits++
	s.Engine.Rest(idle)
	return idle + 1
}

// launch hands a sealed frame to the transport. The frame is gone afterwards; account counts it until its receiver has
// handled it.
func (s *Sender) launch(f *netio.Frame, account *netio.Account) {
	s.Check()
	if s.Ledger != nil {
		f.Tag = s.Ledger.Create(int(f.To))
	}
	s.Created++
	s.Count.FramesSent++
	s.Count.BytesSent += uint64(f.Bytes)
	f.Charge(account)
	s.Port.Send(f)
}
