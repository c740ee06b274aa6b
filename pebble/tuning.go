package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/tune"
)

// Tuning selects the settings that a job changes between its epochs, for targets whose options leave them to the job
// (TRAM, section V.E).
//
// A window is a number of epochs that take some milliseconds. At its end, the pebbles sent by all ranks, and their
// time, go up a tree to rank 0; its choice for the next window comes down.
type Tuning struct {
	Topology bool // among those that the detector of the first epoch supports
	Coalesce bool
	Cache    bool
	// Window is the minimum length of a window: the number of epochs that take this time, and 50 times the cost of the
	// end of a window. 0 is 10 ms.
	Window time.Duration
	// New makes the tuner, on rank 0, when the first epoch with targets that can be tuned begins. nil is tune.Auto
	// without a model.
	New func(tune.Site) (Tuner, error)
}

// Tuner chooses settings, window by window. [tune.Tuner] is one. Only the goroutine of rank 0 calls it.
type Tuner = tune.Chooser

// schedule returns the schedule that asks the tuners; nil if nothing is tuned.
func (t *Tuning) schedule() *tune.Schedule {
	if t == nil {
		return nil
	}
	return &tune.Schedule{Least: t.Window, New: t.New}
}

// Tuned is the result of tuning.
type Tuned struct {
	Setting   tune.Setting    `json:"setting"`   // in force
	Reason    string          `json:"reason"`    // for display
	Decisions []tune.Decision `json:"decisions"` // the oldest first
}

// Tuned returns the choices and their reasons, on rank 0, if anything was tuned. Call it between epochs.
func (r *Rank) Tuned() (t Tuned, ok bool) {
	if r.ID() != 0 || r.schedule == nil {
		return t, false
	}
	var chooser tune.Chooser
	t.Setting, chooser = r.schedule.Chosen()
	if tuner, is := chooser.(*tune.Tuner); is {
		t.Setting, t.Reason, t.Decisions = tuner.Setting(), tuner.Reason(), tuner.Log()
	}
	return t, chooser != nil
}
