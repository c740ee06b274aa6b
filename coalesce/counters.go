package coalesce

// Reason says why a buffer left.
type Reason uint8

const (
	Full     Reason = iota // there was no room for another pebble
	Due                    // it held a pebble for longer than is allowed
	Explicit               // the program called Flush
	Idle                   // its rank had nothing else to do
	Periodic               // nothing had moved for a period
	Deep                   // the next pebble was of another depth
)

// Counters is what one rank has done since its job began. Package pebble documents it, field by field.
type Counters struct {
	PebblesSent, PebblesHandled                                             uint64
	Forwarded, Merged, MergedAtHops, Rescued                                uint64
	FramesSent, FramesReceived, BytesSent                                   uint64
	FlushFull, FlushDue, FlushExplicit, FlushIdle, FlushPeriodic, FlushDeep uint64
	Waits, CreditWaits, Held, ControlSent, DetectionSent, Rounds, Epochs    uint64
}

// left counts a buffer that leaves.
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
