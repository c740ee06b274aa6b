package state

import "time"

// Job is the state of a job as one process sees it.
type Job struct {
	Program   string            `json:"program"` // its name, without a path
	ID        string            `json:"id"`      // of the job; "" if this process is alone
	Ranks     int               `json:"ranks"`
	Transport string            `json:"transport"`
	Settings  map[string]string `json:"settings"` // in use, by names of flags
	Started   time.Time         `json:"started"`
	Taken     time.Time         `json:"taken"` // time of this snapshot
	// StillSeconds is the time without progress of any rank while some waited. It counts only while this process ran.
	StillSeconds float64 `json:"still_seconds"`
	// Stalled reports that this time has reached the job's limit (--stall).
	Stalled bool `json:"stalled"`
	// Verdict describes in one sentence the event that the job waits for, or its progress.
	Verdict   string    `json:"verdict"`
	Processes []Process `json:"processes"` // by number
}

// Process is one process of a job.
type Process struct {
	Process     int    `json:"process"`
	Host        string `json:"host"`
	PID         int    `json:"pid"`
	First       int    `json:"first"` // its ranks are First to Last-1
	Last        int    `json:"last"`
	Resident    int64  `json:"resident_bytes"` // current memory
	Connections int    `json:"connections"`    // with other processes
	Bound       int64  `json:"bound_bytes"`    // limit of its ranks' memory for pebbles: sum of MemoryLimit
	// SilentSeconds is the age of the other fields: the time since the process's last answer.
	SilentSeconds float64 `json:"silent_seconds"`
	Stopped       bool    `json:"stopped"` // by a signal, as reported by its host
	Ended         string  `json:"ended"`   // description of its end; "" while it runs
	Ranks         []Rank  `json:"ranks"`   // by number; empty before its first answer
}

// Doing is the activity of a rank.
type Doing string

// The activities of a rank.
const (
	Computing Doing = "computing" // its function runs, outside calls of the runtime
	Handling  Doing = "handling"  // a handler runs
	Tasking   Doing = "tasking"   // a task runs
	Waiting   Doing = "waiting"   // in a call
	Moving    Doing = "moving"    // in a call that makes progress
	Ended     Doing = "ended"     // its function has returned
	Starting  Doing = "starting"  // its function has not begun
)

// Rank is the published state of one rank.
type Rank struct {
	Rank   int    `json:"rank"`
	Doing  Doing  `json:"doing"`
	Target string `json:"target"` // target of the handler that runs, or of the link that it waits for
	Call   Call   `json:"call"`   // its latest epoch or collective
	Wait   string `json:"wait"`   // reason of its wait; "" if it does not wait
	// For is the rank that it waits for, or -1 if that is no single one.
	For          int     `json:"for"`
	StillSeconds float64 `json:"still_seconds"` // time without progress
	Moved        uint64  `json:"moved"`         // measure of its progress
	Status       string  `json:"status"`        // last status of the application

	Seconds  Seconds  `json:"seconds"`
	Counters Counters `json:"counters"`
	Memory   Memory   `json:"memory"`
	Targets  []Target `json:"targets"`
	Links    []Link   `json:"links"`  // fullest ones, at most LinksMost; nil unless requested
	Tasks    []Tasks  `json:"tasks"`  // waiting ones, by reason
	Events   []Event  `json:"events"` // the last 256, oldest first; of rank 0, in records, and of ranks at fault
	Stack    []string `json:"stack"`  // "function file:line", innermost first; only for those at fault
}

// LinksMost bounds the reported links of a rank, fullest first.
const LinksMost = 16

// Call is one call of a rank's function that all ranks make in the same order.
type Call struct {
	Number uint64 `json:"number"`         // 1 for the first; 0 before it
	Kind   string `json:"kind"`           // "epoch", "barrier", "all-reduction", ...
	Name   string `json:"name"`           // of a named epoch
	Site   string `json:"site"`           // "bfs.go:88", in the program
	Open   bool   `json:"open"`           // it has not returned
	Team   string `json:"team,omitempty"` // that makes it; "" for the whole job
}

// Returned returns the number of the last call that has returned.
func (c Call) Returned() uint64 {
	if c.Open {
		return max(c.Number, 1) - 1
	}
	return c.Number
}

// Seconds divides the time of a rank since its start by activity, as sampled.
type Seconds struct {
	Compute float64 `json:"compute"` // its function and its tasks
	Handle  float64 `json:"handle"`  // handlers
	Credit  float64 `json:"credit"`  // waits for credit, room or memory
	Idle    float64 `json:"idle"`    // all other waits
	Served  float64 `json:"served"`  // waits for exposed memory of other ranks
	Epochs  float64 `json:"epochs"`  // in epochs, in any activity; exact
}

// Target is the work of a rank for one of its targets.
type Target struct {
	Name    string `json:"name"`
	Handled uint64 `json:"handled"` // pebbles passed to its handler
	Sent    uint64 `json:"sent"`    // frames
}

// Memory is the memory of a rank for pebbles, in bytes.
type Memory struct {
	Held   int64 `json:"held"`   // now
	Peak   int64 `json:"peak"`   // maximum so far
	Queued int64 `json:"queued"` // of pebbles that handlers sent to their own rank
	Limit  int64 `json:"limit"`  // MemoryLimit
}

// Link is one target's way from a rank to a neighbour.
type Link struct {
	Target  string `json:"target"`
	To      int    `json:"to"`      // rank
	Filling int64  `json:"filling"` // bytes of pebbles in the current buffer
	Flight  int64  `json:"flight"`  // frames in flight: sent, and not yet handled
	Waiting int64  `json:"waiting"` // frames that wait for credit
	Bytes   int64  `json:"bytes"`   // of all these frames, approximately
	Sent    uint64 `json:"sent"`    // frames sent so far, modulo 2^32
	// AgeSeconds is a lower bound of the time for which frames were in flight or waiting and none has returned.
	AgeSeconds float64 `json:"age_seconds"`
}

// Tasks are tasks of a rank that wait in the same call.
type Tasks struct {
	Call  string `json:"call"`
	Count int    `json:"count"`
}

// Event is one event of a rank.
type Event struct {
	At     float64 `json:"at"`             // seconds on the job's clock
	End    float64 `json:"end"`            // the same for its end; 0 without one
	Kind   string  `json:"kind"`           // "epoch", "barrier", ..., or "wait"
	Name   string  `json:"name"`           // of an epoch, or of the reason of a wait
	Site   string  `json:"site"`           // in the program
	Team   string  `json:"team,omitempty"` // of a call; "" for the whole job
	Number uint64  `json:"number"`         // of a call; of a wait, the number of parks
}
