package pebble

// Reason says why a buffer left.
type Reason uint8

const (
	// Full buffers had no room for another pebble.
	Full Reason = iota
	// Due buffers held a pebble for longer than Config.Due.
	Due
	// Explicit buffers left because the program called Flush.
	Explicit
	// Idle buffers left because their rank had nothing else to do.
	Idle
	// Periodic buffers left because nothing had moved for Config.Period.
	Periodic
	// Deep buffers left because the next pebble was of another depth: see the option Depth of Rank.Epoch.
	Deep
	reasons
)

var reasonNames = [reasons]string{"full", "due", "explicit", "idle", "periodic", "deep"}

func (w Reason) String() string { return reasonNames[w] }

// Counters is what one rank has done since the job began. All are exact; they are for tests and for tuning.
type Counters struct {
	PebblesSent    uint64 `json:"pebbles_sent"`    // by Send and SendAll, to whatever rank
	PebblesHandled uint64 `json:"pebbles_handled"` // given to handlers of this rank
	Forwarded      uint64 `json:"forwarded"`       // pebbles that passed through this rank as a hop
	Merged         uint64 `json:"merged"`          // pebbles that a reduction dropped or merged
	MergedAtHops   uint64 `json:"merged_at_hops"`  // those of them that came from other ranks
	Rescued        uint64 `json:"rescued"`         // pebbles moved away from links that were marked down
	FramesSent     uint64 `json:"frames_sent"`     // frames of pebbles handed to the transport
	FramesReceived uint64 `json:"frames_received"`
	BytesSent      uint64 `json:"bytes_sent"`     // payload of the frames sent
	FlushFull      uint64 `json:"flush_full"`     // frames sent by reason
	FlushDue       uint64 `json:"flush_due"`      //
	FlushExplicit  uint64 `json:"flush_explicit"` //
	FlushIdle      uint64 `json:"flush_idle"`     //
	FlushPeriodic  uint64 `json:"flush_periodic"` //
	FlushDeep      uint64 `json:"flush_deep"`     //
	Waits          uint64 `json:"waits"`          // looks for room or credit that found none
	CreditWaits    uint64 `json:"credit_waits"`   // frames that had to wait for credit
	Held           uint64 `json:"held"`           // frames that arrived and waited because links onward had no credit
	ControlSent    uint64 `json:"control_sent"`   // messages of collectives and of termination detection
	DetectionSent  uint64 `json:"detection_sent"` // those of them that are of termination detection
	Rounds         uint64 `json:"rounds"`         // of termination detection
	Epochs         uint64 `json:"epochs"`
}

// Add adds o to c, for sums over ranks. Epochs and Rounds are the same on all ranks, and are kept.
func (c Counters) Add(o Counters) Counters {
	c.PebblesSent += o.PebblesSent
	c.PebblesHandled += o.PebblesHandled
	c.Forwarded += o.Forwarded
	c.Merged += o.Merged
	c.FramesSent += o.FramesSent
	c.FramesReceived += o.FramesReceived
	c.BytesSent += o.BytesSent
	c.FlushFull += o.FlushFull
	c.FlushDue += o.FlushDue
	c.FlushExplicit += o.FlushExplicit
	c.FlushIdle += o.FlushIdle
	c.FlushPeriodic += o.FlushPeriodic
	c.FlushDeep += o.FlushDeep
	c.CreditWaits += o.CreditWaits
	c.Held += o.Held
	c.MergedAtHops += o.MergedAtHops
	c.Rescued += o.Rescued
	c.Waits += o.Waits
	c.ControlSent += o.ControlSent
	c.DetectionSent += o.DetectionSent
	c.Rounds = max(c.Rounds, o.Rounds)
	c.Epochs = max(c.Epochs, o.Epochs)
	return c
}

// Since is what was counted from before to c.
func (c Counters) Since(before Counters) Counters {
	c.PebblesSent -= before.PebblesSent
	c.PebblesHandled -= before.PebblesHandled
	c.Forwarded -= before.Forwarded
	c.Merged -= before.Merged
	c.FramesSent -= before.FramesSent
	c.FramesReceived -= before.FramesReceived
	c.BytesSent -= before.BytesSent
	c.FlushFull -= before.FlushFull
	c.FlushDue -= before.FlushDue
	c.FlushExplicit -= before.FlushExplicit
	c.FlushIdle -= before.FlushIdle
	c.FlushPeriodic -= before.FlushPeriodic
	c.FlushDeep -= before.FlushDeep
	c.CreditWaits -= before.CreditWaits
	c.Held -= before.Held
	c.MergedAtHops -= before.MergedAtHops
	c.Rescued -= before.Rescued
	c.Waits -= before.Waits
	c.ControlSent -= before.ControlSent
	c.DetectionSent -= before.DetectionSent
	c.Rounds -= before.Rounds
	c.Epochs -= before.Epochs
	return c
}

func (c *Counters) left(why Reason) {
	switch why {
	case Full:
		c.FlushFull++
	case Due:
		c.FlushDue++
	case Explicit:
		c.FlushExplicit++
	case Idle:
		c.FlushIdle++
	case Periodic:
		c.FlushPeriodic++
	case Deep:
		c.FlushDeep++
	}
}

// Counters is what this rank has done since the job began.
func (r *Rank) Counters() Counters {
	r.owned("Counters was called")
	return r.counters
}

// Memory is what one rank holds and has held, in bytes, for pebbles that wait or travel.
type Memory struct {
	Peak    int64 `json:"peak"`    // the most frames, lent or kept for the next send, and caches at one time
	Filling int64 `json:"filling"` // frames in buffers now
	Buffers int   `json:"buffers"` // the most buffers that held pebbles at one time; one that grows counts twice
	Queued  int64 `json:"queued"`  // frames of pebbles that handlers sent to their own rank, now
	Caches  int64 `json:"caches"`  // reduction caches
}

// Memory tells what the rank holds now, and the most that it has held.
func (r *Rank) Memory() Memory {
	r.owned("Memory was called")
	return Memory{
		Peak:    r.pool.Peak() + r.reserved,
		Filling: r.filling,
		Buffers: r.buffersPeak,
		Queued:  r.queued,
		Caches:  r.reserved,
	}
}
