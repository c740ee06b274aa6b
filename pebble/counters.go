package pebble

import "github.com/activepebbles/pebbles/coalesce"

// Counters counts the work of one rank since the job began. All counts are exact. The fields, each a uint64, are
//
//   - PebblesSent, PebblesHandled, Forwarded (passed through this rank as a hop), Merged (dropped or merged by a
//     reduction), MergedAtHops (pebbles of other ranks among these), and Rescued (moved off links marked down);
//   - FramesSent, FramesReceived and BytesSent (payload); and the frames by their reason to leave: FlushFull, FlushDue,
//     FlushExplicit, FlushIdle, FlushPeriodic, and FlushDeep (the next pebble had another depth);
//   - Waits (looks for room or credit that found none), CreditWaits (frames that had to wait for credit), and Held
//     (frames that waited on arrival, since links onward had no credit);
//   - ControlSent (messages of collectives and of termination detection), DetectionSent (messages of detection among
//     these), Rounds (of detection), and Epochs.
//
// Add sums counters over ranks; Since subtracts those of an earlier time.
type Counters = coalesce.Counters

// Memory is the memory of one rank for pebbles that wait or travel, in bytes: Peak (maximum of frames and caches),
// Filling (in buffers now), Queued (now, sent by handlers to their own rank) and Caches (reduction caches); and
// Buffers, the maximum number of buffers that held pebbles at one time.
type Memory = coalesce.Memory

// Counters returns the counts of this rank's work since the job began.
func (r *Rank) Counters() Counters { return r.engine.Account("Counters was called").Count }

// Connections returns the number of connections that the rank's process has to other processes now. Over TCP, the
// control stream and the data stream of a pair count as two. It is 0 with a transport without connections.
func (r *Rank) Connections() int {
	n, _ := r.engine.Job.Connections()
	return n
}

// Memory returns the memory that the rank holds now, and its peak.
func (r *Rank) Memory() Memory { return r.engine.Account("Memory was called").Memory() }
