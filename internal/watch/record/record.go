package record

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Record is the readable part of a job's record.
type Record struct {
	Job       Job
	Ending    Ending
	Processes []*Process // those with a readable line, by number
	Ranks     []*Rank    // those with a line, by number
	Groups    []Group    // the ranks by their last calls, the largest first
	Epochs    []Epoch    // by number; if many, the first 256 and the last
	Exits     []Exit     // in the launcher's order; empty without its file
	Launched  *Launched  // the rest of the launcher's file; nil without it
	Series    []Point    // the activity over time, at most 256 points
	Problems  []string   // unreadable or missing parts
}

// Job describes the job.
type Job struct {
	Program   string
	ID        string
	Ranks     int
	Transport string
	Settings  map[string]string
	Started   time.Time
	Ended     time.Time // time of the last line
}

// Process is the last state of a process.
type Process struct {
	Process     int
	Host        string
	PID         int
	First, Last int       // its ranks are First to Last-1
	Seconds     uint64    // seconds in the record
	Heard       time.Time // time of its last line
	Still       float64   // standstill of the job at the end, in seconds
	Verdict     string
	Resident    int64 // bytes at the end
	Held        int64
	Bound       int64
	Ended       bool   // its end is in the record
	How         string // then: "" is in order
	Failures    []Failure

	skipped, lost uint64
	why           string
}

// Failure is the failure of the job, as reported by one process.
type Failure struct {
	At    time.Time
	By    int
	Of    int // process that caused it; -1 for none
	Cause string
}

// Exit is the end of a process, as reported by the launcher.
type Exit struct {
	At      time.Time
	Process int
	How     string
	First   bool // it caused the failure of the job
}

// Launched is the launcher's view of the whole job.
type Launched struct {
	Processes int
	Closed    bool // the launcher's file has the end of the job
	How       string
}

// Rank is the last state of a rank, and its last events.
type Rank struct {
	state.Rank
	Process   int
	StillMost float64 // its longest standstill, in seconds
	Dropped   uint64  // lower bound of the number of missing events
}

// Group is the ranks with the same last call.
type Group struct {
	Call  state.Call
	Ranks []int
}

// Epoch is an epoch, with times from ranks' events, in seconds on the job's clock, and counts from their last calls.
type Epoch struct {
	Number     uint64
	Name, Site string
	Team       string  // "" for the whole job
	Begin, End float64 // of the first and the last rank with an event
	Began      int     // ranks known to have begun it
	Ended      int     // ranks known to have ended it
}

// Point is the activity of the job in a span of time, summed over all ranks.
type Point struct {
	At, Width float64 // begin and length, in seconds since the job's start
	Handled   float64 // pebbles a second
	Bytes     float64 // bytes sent a second
	// Times of the ranks, in seconds per second.
	Compute, Handle, Credit, Idle float64
	Held, Bound                   float64 // bytes, of all ranks
	Resident                      float64 // bytes, of all processes
}
