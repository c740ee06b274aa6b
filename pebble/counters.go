package pebble

import "github.com/activepebbles/pebbles/coalesce"

// Counters counts the work of one rank since the job began. All counts are exact. The fields, each a uint64, are
//
//   - PebblesSent, PebblesHandled, Forwarded (passed through this rank as a hop), Merged (dropped or merged by a
//     reduction), MergedAtHops (of these, pebbles of other ranks), and Rescued (moved away from links marked down);
//   - FramesSent, FramesReceived and BytesSent (payload); and the reasons for which frames left: FlushFull, FlushDue,
//     FlushExplicit, FlushIdle, FlushPeriodic, and FlushDeep (the next pebble was of another depth);
//   - Waits (looks for room or credit that found none), CreditWaits (frames that had to wait for credit), and Held
//     (frames that arrived and waited because links onward had no credit);
//   - ControlSent (messages of collectives and of termination detection), DetectionSent (of these, messages of
//     detection), Rounds (of detection), and Epochs.
//
// Add sums counters over ranks; Since subtracts those of an earlier time.
type Counters = coalesce.Counters

// Memory is the memory of one rank for pebbles that wait or travel, in bytes: Peak (the most frames and caches at one
// time), Filling (in buffers now), Queued (that handlers sent to their own rank, now) and Caches (reduction caches);
// and Buffers, the most buffers that held pebbles at one time.
type Memory = coalesce.Memory

// Counters counts the work of this rank since the job began.
func (r *Rank) Counters() Counters { return r.engine.Account("Counters was called").Count }

// Memory is the memory that the rank holds now, and its peak.
func (r *Rank) Memory() Memory { return r.engine.Account("Memory was called").Memory() }
