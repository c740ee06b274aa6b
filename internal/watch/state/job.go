package state

import "time"

// Job is what one process knows of its job.
type Job struct {
	Program   string            `json:"program"` // its name, without a path
	ID        string            `json:"id"`      // of the job; "" when this process is alone
	Ranks     int               `json:"ranks"`
	Transport string            `json:"transport"`
	Settings  map[string]string `json:"settings"` // in use, by the names of flags
	Started   time.Time         `json:"started"`
	Taken     time.Time         `json:"taken"` // when this was put together
	// StillSeconds is for how long no rank has made progress while some waited. It counts only while this process ran.
	StillSeconds float64 `json:"still_seconds"`
	// Stalled says that this is longer than the job was given (--stall).
	Stalled bool `json:"stalled"`
	// Verdict is one sentence: what the job waits for, or that it moves.
	Verdict   string    `json:"verdict"`
	Processes []Process `json:"processes"` // by number
}

// Process is one process of a job.
type Process struct {
	Process  int    `json:"process"`
	Host     string `json:"host"`
	PID      int    `json:"pid"`
	First    int    `json:"first"` // its ranks are First to Last-1
	Last     int    `json:"last"`
	Resident int64  `json:"resident_bytes"` // memory that it has now
	Bound    int64  `json:"bound_bytes"`    // the most that its ranks may hold for pebbles: MemoryLimit, for all
	// SilentSeconds is how old the rest is: for how long the process has not told anything.
	SilentSeconds float64 `json:"silent_seconds"`
	Stopped       bool    `json:"stopped"` // by a signal, as its host says
	Ended         string  `json:"ended"`   // how it has ended; "" while it runs
	Ranks         []Rank  `json:"ranks"`   // by number; empty when it has told nothing yet
}

// Doing is what a rank does.
type Doing string

// What a rank may be doing.
const (
	Computing Doing = "computing" // its function runs, and no call of it
	Handling  Doing = "handling"  // a handler runs
	Tasking   Doing = "tasking"   // a task runs
	Waiting   Doing = "waiting"   // in a call
	Moving    Doing = "moving"    // in a call that has something to do
	Ended     Doing = "ended"     // its function has returned
	Starting  Doing = "starting"  // its function has not begun
)

// Rank is what one rank has published.
type Rank struct {
	Rank   int    `json:"rank"`
	Doing  Doing  `json:"doing"`
	Target string `json:"target"` // whose handler runs, or whose link it waits for
	Call   Call   `json:"call"`   // the epoch or collective that it has begun last
	Wait   string `json:"wait"`   // what it waits for, in words; "" when it does not
	// For is which rank it waits for; -1 when that is no single one.
	For          int     `json:"for"`
	StillSeconds float64 `json:"still_seconds"` // for how long it has made no progress
	Moved        uint64  `json:"moved"`         // counts its progress
	Status       string  `json:"status"`        // what the application has said last

	Seconds  Seconds  `json:"seconds"`
	Counters Counters `json:"counters"`
	Memory   Memory   `json:"memory"`
	Targets  []Target `json:"targets"`
	Links    []Link   `json:"links"`  // those that hold most, at most LinksMost; nil where nobody has asked for them
	Tasks    []Tasks  `json:"tasks"`  // that wait, by what for
	Events   []Event  `json:"events"` // the last 256, oldest first; of rank 0, in records, and of those at fault
	Stack    []string `json:"stack"`  // "function file:line", innermost first; only for those at fault
}

// LinksMost bounds the links that a rank tells of, the fullest first.
const LinksMost = 16

// Call is one call of a rank's function that all ranks make in the same order.
type Call struct {
	Number uint64 `json:"number"` // 1 for the first; 0 before it
	Kind   string `json:"kind"`   // "epoch", "barrier", "all-reduction", ...
	Name   string `json:"name"`   // of an epoch that has one
	Site   string `json:"site"`   // "bfs.go:88", in the program
	Open   bool   `json:"open"`   // it has not returned
}

// Returned is the number of the last call that has returned.
func (c Call) Returned() uint64 {
	if c.Open {
		return max(c.Number, 1) - 1
	}
	return c.Number
}

// Seconds is where the time of a rank has gone since it began, as sampled.
type Seconds struct {
	Compute float64 `json:"compute"` // its function and its tasks
	Handle  float64 `json:"handle"`  // handlers
	Credit  float64 `json:"credit"`  // waits for credit, for room or for memory
	Idle    float64 `json:"idle"`    // all other waits
	Served  float64 `json:"served"`  // waits for exposed memory of others
	Epochs  float64 `json:"epochs"`  // in epochs, whatever it did there; exact
}

// Target is what a rank has done for one of its targets.
type Target struct {
	Name    string `json:"name"`
	Handled uint64 `json:"handled"` // pebbles given to its handler
	Sent    uint64 `json:"sent"`    // frames
}

// Memory is what a rank holds for pebbles, in bytes.
type Memory struct {
	Held   int64 `json:"held"`   // now
	Peak   int64 `json:"peak"`   // the most so far
	Queued int64 `json:"queued"` // of pebbles that handlers sent to their own rank
	Limit  int64 `json:"limit"`  // MemoryLimit
}

// Link is one target's way from a rank to a neighbour.
type Link struct {
	Target  string `json:"target"`
	To      int    `json:"to"`      // rank
	Filling int64  `json:"filling"` // bytes of pebbles in the buffer that fills
	Flight  int64  `json:"flight"`  // frames in flight: sent, and not yet handled
	Waiting int64  `json:"waiting"` // frames that wait for credit
	Bytes   int64  `json:"bytes"`   // of all these frames, about
	Sent    uint64 `json:"sent"`    // frames sent so far, modulo 2^32
	// AgeSeconds is for how long frames have been in flight or waiting without one of them coming back, at the least.
	AgeSeconds float64 `json:"age_seconds"`
}

// Tasks are tasks of a rank that wait in the same call.
type Tasks struct {
	Call  string `json:"call"`
	Count int    `json:"count"`
}

// Event is one event of a rank.
type Event struct {
	At     float64 `json:"at"`     // seconds on the job's clock
	End    float64 `json:"end"`    // the same, of what has an end; 0 while that has not come
	Kind   string  `json:"kind"`   // "epoch", "barrier", ..., or "wait"
	Name   string  `json:"name"`   // of an epoch; of what was waited for
	Site   string  `json:"site"`   // in the program
	Number uint64  `json:"number"` // of a call; of a wait, how many times the rank parked
}
