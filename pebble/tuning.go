package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/tune"
)

// Tuning says what a job changes of itself while it runs, for targets whose options leave it to the job (TRAM, section
// V.E): topology and cache between epochs; the coalescing factor too, and in long epochs also within them.
//
// A window is as many epochs as take some milliseconds; at its end, what all ranks have sent and how long they took
// goes up a tree to rank 0, and what that has chosen for the next comes down. In an epoch that takes long, rank 0 goes
// by its own pebbles, and tells the others by messages that nobody waits for.
type Tuning struct {
	Topology bool // among those that the detector of the first epoch holds with
	Coalesce bool
	Cache    bool
	// Window is how long a window takes at the least: it is as many epochs as that takes, and as take 50 times what the
	// end of a window costs. An epoch of more than five windows is tuned within, by windows of half the length, if the
	// rank looks at the clock: when Config.Due or Config.Period is set, and at each Poll. 0 is 10 ms.
	Window time.Duration
	// New makes the tuner, on rank 0: when the first epoch begins whose targets can be tuned, and once more, with
	// Within set, when an epoch takes long. nil is tune.Auto without a model.
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
	Decisions []tune.Decision `json:"decisions"` // the oldest first; those within epochs come after those between them
}

// Tuned tells what was chosen and why: on rank 0, when there was anything to tune. It is for the time between epochs.
func (r *Rank) Tuned() (t Tuned, ok bool) {
	if r.ID() != 0 || r.schedule == nil {
		return t, false
	}
	t.Setting = r.schedule.Setting()
	for _, chooser := range r.schedule.Choosers() {
		ok = true
		if tuner, is := chooser.(*tune.Tuner); is {
			t.Decisions = append(t.Decisions, tuner.Log()...)
			if t.Reason != "" {
				t.Reason += "; within epochs: "
			}
			t.Reason += tuner.Reason()
			t.Setting = tuner.Setting()
		}
	}
	return t, ok
}
