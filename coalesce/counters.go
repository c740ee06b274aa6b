package coalesce

import "github.com/activepebbles/pebbles/internal/watch/state"

// Reason is the reason why a frame left its lane.
type Reason uint8

const (
	Full     Reason = iota // no room for another pebble
	Due                    // a pebble waited longer than the limit
	Explicit               // the program called Flush
	Idle                   // its rank had nothing else to do
	Periodic               // no frame moved for a period
	Deep                   // the next pebble had another depth
)

// Counters counts the work of one rank since the start of the job.
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
	Peak    int64 `json:"peak"`    // largest sum of frames, lent or kept for the next send, and caches
	Filling int64 `json:"filling"` // frames that lanes fill now
	Buffers int   `json:"buffers"` // most frames filling at one time; one that grows counts twice
	Queued  int64 `json:"queued"`  // frames of pebbles that handlers sent to their own rank, now
	Caches  int64 `json:"caches"`  // reduction caches
}

// Memory returns the memory that the rank holds now, and its peak.
func (s *Sender) Memory() Memory {
	return Memory{
		Peak:    s.Pool.Peak() + s.Reserved,
		Filling: s.Filling,
		Buffers: s.BuffersPeak,
		Queued:  s.Queued,
		Caches:  s.Reserved,
	}
}
