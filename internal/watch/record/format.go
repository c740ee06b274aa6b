package record

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// version is that of the format. A reader of an older one may miss what is new.
const version = 1

// What lines are.
const (
	jobKind    = "job"
	secondKind = "second"
	rankKind   = "rank"
	failedKind = "failed"
	endKind    = "end"
	launchKind = "launch"
	endedKind  = "ended"
)

// jobLine says whose a file is.
type jobLine struct {
	Version   int               `json:"version"`
	Program   string            `json:"program"`
	ID        string            `json:"id"`
	Ranks     int               `json:"ranks"`
	Transport string            `json:"transport"`
	Settings  map[string]string `json:"settings"`
	LeftOut   int               `json:"settings_left_out,omitempty"`
	Started   time.Time         `json:"started"`
	Process   int               `json:"process"`
	Host      string            `json:"host"`
	PID       int               `json:"pid"`
	First     int               `json:"first"`
	Last      int               `json:"last"`
	Counters  []string          `json:"counters"`
	Seconds   []string          `json:"seconds"`
}

// secondLine is what a process says once a second.
type secondLine struct {
	N        uint64    `json:"n"` // from 1; those that were not written are not counted
	At       time.Time `json:"at"`
	Still    float64   `json:"still_seconds,omitempty"`
	Verdict  string    `json:"verdict,omitempty"`
	Resident int64     `json:"resident_bytes,omitempty"`
	Held     int64     `json:"held_bytes,omitempty"` // by its ranks
	Bound    int64     `json:"bound_bytes,omitempty"`
	Skipped  uint64    `json:"skipped,omitempty"` // seconds before this one that were not written: the disk was slow
	Lost     uint64    `json:"lost,omitempty"`    // batches before this one that the disk refused
	Why      string    `json:"why,omitempty"`     // it refused them
}

// rankLine is what is new of a rank.
type rankLine struct {
	N        uint64       `json:"n"` // of the second
	Rank     int          `json:"rank"`
	Whole    bool         `json:"whole,omitempty"`
	Doing    state.Doing  `json:"doing"`
	Target   string       `json:"target,omitempty"`
	Wait     string       `json:"wait,omitempty"`
	For      *int         `json:"for,omitempty"` // nil is -1
	Still    float64      `json:"still_seconds,omitempty"`
	Counters []int64      `json:"counters,omitempty"`
	Seconds  []int64      `json:"seconds_ms,omitempty"`
	Call     *state.Call  `json:"call,omitempty"`
	Status   *string      `json:"status,omitempty"`
	Memory   []int64      `json:"memory,omitempty"`
	Links    []state.Link `json:"links,omitzero"`
	Stack    []string     `json:"stack,omitzero"`
	Events   []eventLine  `json:"events,omitempty"`
	Dropped  int          `json:"dropped,omitempty"`
	Overrun  bool         `json:"overrun,omitempty"`
}

// eventLine is a state.Event.
type eventLine struct {
	At     float64 `json:"at"`
	End    float64 `json:"end,omitempty"`
	Kind   string  `json:"kind"`
	Name   string  `json:"name,omitempty"`
	Site   string  `json:"site,omitempty"`
	Number uint64  `json:"number,omitempty"`
}

// failedLine says why the job fails, as a process sees it.
type failedLine struct {
	At    time.Time `json:"at"`
	Of    int       `json:"of"` // the process whose fault it is; -1 when it is nobody's
	Cause string    `json:"cause"`
}

// endLine says how a process or the launcher has ended.
type endLine struct {
	At  time.Time `json:"at"`
	How string    `json:"how"`
}

// launchLine says whose a launcher's file is.
type launchLine struct {
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Program   string    `json:"program"`
	Processes int       `json:"processes"`
	At        time.Time `json:"at"`
}

// endedLine says how a process has ended, as the launcher saw it.
type endedLine struct {
	At      time.Time `json:"at"`
	Process int       `json:"process"`
	How     string    `json:"how"`
	First   bool      `json:"first,omitempty"`
}
