package state

import "unsafe"

// Counters counts the work of one rank since the start of the job, exactly. It is for tests and for tuning.
type Counters struct {
	PebblesSent    uint64 `json:"pebbles_sent"`    // by Send and SendAll, to any rank
	PebblesHandled uint64 `json:"pebbles_handled"` // passed to handlers of this rank
	Forwarded      uint64 `json:"forwarded"`       // pebbles forwarded by this rank as a hop
	Merged         uint64 `json:"merged"`          // pebbles that a reduction dropped or merged
	MergedAtHops   uint64 `json:"merged_at_hops"`  // those of them that came from other ranks
	Rescued        uint64 `json:"rescued"`         // pebbles moved away from links that were marked down
	FramesSent     uint64 `json:"frames_sent"`     // frames of pebbles passed to the transport
	FramesReceived uint64 `json:"frames_received"`
	BytesSent      uint64 `json:"bytes_sent"`     // payload of the frames sent
	FlushFull      uint64 `json:"flush_full"`     // frames sent because they were full
	FlushDue       uint64 `json:"flush_due"`      // a pebble had waited for too long
	FlushExplicit  uint64 `json:"flush_explicit"` // the program called Flush
	FlushIdle      uint64 `json:"flush_idle"`     // the rank had nothing else to do
	FlushPeriodic  uint64 `json:"flush_periodic"` // nothing had moved for a period
	FlushDeep      uint64 `json:"flush_deep"`     // the next pebble had another depth
	Waits          uint64 `json:"waits"`          // fruitless looks for room or credit
	CreditWaits    uint64 `json:"credit_waits"`   // frames that had to wait for credit
	Held           uint64 `json:"held"`           // arrived frames that waited because links onward had no credit
	ControlSent    uint64 `json:"control_sent"`   // messages of collectives and of termination detection
	DetectionSent  uint64 `json:"detection_sent"` // the part of them for termination detection
	Rounds         uint64 `json:"rounds"`         // of termination detection
	Epochs         uint64 `json:"epochs"`
}

// each returns every counter, in the order of the fields.
func (c *Counters) each() *[unsafe.Sizeof(Counters{}) / 8]uint64 {
	return (*[unsafe.Sizeof(Counters{}) / 8]uint64)(unsafe.Pointer(c))
}

// Add returns the sum of c and o, for sums over ranks. Epochs and Rounds are the same on all ranks, so they stay.
func (c Counters) Add(o Counters) Counters {
	rounds, epochs := max(c.Rounds, o.Rounds), max(c.Epochs, o.Epochs)
	for i, n := range o.each() {
		c.each()[i] += n
	}
	c.Rounds, c.Epochs = rounds, epochs
	return c
}

// Since returns the work between before and c.
func (c Counters) Since(before Counters) Counters {
	for i, n := range before.each() {
		c.each()[i] -= n
	}
	return c
}
