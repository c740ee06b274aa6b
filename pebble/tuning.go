package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/tune"
)

// Tuning says what a job changes of itself between its epochs, for targets whose options leave it to the job (TRAM,
// section V.E).
//
// A window is as many epochs as take some milliseconds; at its end, what all ranks have sent and how long they took
// goes up a tree to rank 0, and what that has chosen for the next comes down.
type Tuning struct {
	Topology bool // among those that the detector of the first epoch holds with
	Coalesce bool
	Cache    bool
	// Window is how long a window takes at the least: it is as many epochs as that takes, and as take 50 times what the
	// end of a window costs. 0 is 10 ms.
	Window time.Duration
	// New makes the tuner, on rank 0, when the first epoch begins whose targets can be tuned. nil is tune.Auto without a
	// model.
	New func(tune.Site) (Tuner, error)
}

// Tuner chooses settings, window by window. [tune.Tuner] is one. A tuner is asked by the goroutine of rank 0 alone.
type Tuner = tune.Chooser

// schedule is what asks the tuners; nil when there is nothing to tune.
func (t *Tuning) schedule() *tune.Schedule {
	if t == nil {
		return nil
	}
	return &tune.Schedule{Least: t.Window, New: t.New}
}

// Tuned is what tuning has come to.
type Tuned struct {
	Setting   tune.Setting    `json:"setting"`   // in force
	Reason    string          `json:"reason"`    // for display
	Decisions []tune.Decision `json:"decisions"` // the oldest first
}

// Tuned tells what was chosen and why: on rank 0, when there was anything to tune. It is for the time between epochs.
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
