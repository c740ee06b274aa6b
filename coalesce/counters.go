package coalesce

import "github.com/activepebbles/pebbles/internal/watch/state"

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

// Counters counts the work of one rank since the job began.
type Counters = state.Counters

// countLeft counts a buffer that leaves.
func countLeft(c *Counters, why Reason) {
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

// Memory is the memory of one rank for pebbles that wait or travel, in bytes.
type Memory struct {
	Peak    int64 `json:"peak"`    // the most frames, lent or kept for the next send, and caches at one time
	Filling int64 `json:"filling"` // frames in buffers now
	Buffers int   `json:"buffers"` // the most buffers that held pebbles at one time; one that grows counts twice
	Queued  int64 `json:"queued"`  // frames of pebbles that handlers sent to their own rank, now
	Caches  int64 `json:"caches"`  // reduction caches
}

// Memory is the memory that the rank holds now, and its peak.
func (s *Sender) Memory() Memory {
	return Memory{
		Peak:    s.Pool.Peak() + s.Reserved,
		Filling: s.Filling,
		Buffers: s.BuffersPeak,
		Queued:  s.Queued,
		Caches:  s.Reserved,
	}
}
