package record

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Record is what can be read of a job's record.
type Record struct {
	Job       Job
	Ending    Ending
	Processes []*Process // that have written something, by number
	Ranks     []*Rank    // of which something is known, by number
	Groups    []Group    // the ranks by their last calls, the largest first
	Epochs    []Epoch    // by number; of many the first 256 and the last
	Exits     []Exit     // in the order in which the launcher saw them; empty without its file
	Launched  *Launched  // what else the launcher says; nil without its file
	Series    []Point    // what the job did over time, at most 256 points
	Problems  []string   // what could not be read, or is missing
}

// Job is what a job was.
type Job struct {
	Program   string
	ID        string
	Ranks     int
	Transport string
	Settings  map[string]string
	Started   time.Time
	Ended     time.Time // the last that anybody has written
}

// Process is what is known of a process.
type Process struct {
	Process     int
	Host        string
	PID         int
	First, Last int       // its ranks are First to Last-1
	Seconds     uint64    // that the record has
	Heard       time.Time // when it wrote for the last time
	Still       float64   // what it said last of the job, as its verdict
	Verdict     string
	Resident    int64 // bytes, the last
	Held        int64
	Bound       int64
	Ended       bool   // it has said that it ends
	How         string // that, if so: "" is in order
	Failures    []Failure

	skipped, lost uint64
	why           string
}

// Failure is that a process has learned that the job fails.
type Failure struct {
	At    time.Time
	By    int
	Of    int // whose fault it is; -1 when nobody's
	Cause string
}

// Exit is how the launcher saw a process end.
type Exit struct {
	At      time.Time
	Process int
	How     string
	First   bool // it was its fault
}

// Launched is what the launcher says of the whole job.
type Launched struct {
	Processes int
	Closed    bool // it says how the job ended
	How       string
}

// Rank is what is known of a rank: the last of each thing, and its last events.
type Rank struct {
	state.Rank
	Process   int
	StillMost float64 // the longest that it stood still, in seconds
	Dropped   uint64  // events that the record has not kept, at the least
}

// Group is ranks that have begun the same call last.
type Group struct {
	Call  state.Call
	Ranks []int
}

// Epoch is an epoch as the events of the ranks tell it, in seconds on the job's clock; how many ranks have begun and
// ended it, their last calls say.
type Epoch struct {
	Number     uint64
	Name, Site string
	Begin, End float64 // of the first and the last rank that are known to
	Began      int     // ranks that are known to have begun it
	Ended      int     // and to have ended it
}

// Point is what the job did for a span of time. Rates are of all ranks together.
type Point struct {
	At, Width float64 // its begin and its length, in seconds since the job started
	Handled   float64 // pebbles a second
	Bytes     float64 // bytes sent a second
	// What the ranks did, in seconds of all ranks a second.
	Compute, Handle, Credit, Idle float64
	Held, Bound                   float64 // bytes, of all ranks
	Resident                      float64 // bytes, of all processes
}
