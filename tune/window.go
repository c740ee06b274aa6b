package tune

// Window is what a job did under one setting: an epoch, a part of one, or a whole run.
type Window struct {
	Work     float64 // of all ranks: pebbles handled, or whatever the program counts
	Seconds  float64 // of the slowest rank
	Overhead float64 // seconds lost between the window before and this one: no part of its rate
}

// Join puts the windows of two ranks together: what an all-reduction merges by.
func (w Window) Join(other Window) Window {
	return Window{w.Work + other.Work, max(w.Seconds, other.Seconds), max(w.Overhead, other.Overhead)}
}

// Trial is what to run the next window with.
type Trial struct {
	Setting Setting
	// Seconds is after how long the window must end, when windows can be cut short; 0 is no limit. A shorter window is
	// as useful.
	Seconds    float64
	Experiment bool // the setting is not the one in force
}

// Decision is one change that was tried.
type Decision struct {
	Window  int     `json:"window"` // how many windows there had been
	From    Setting `json:"from"`
	To      Setting `json:"to"`
	Kept    bool    `json:"kept"`    // by a check; of others, taken until the check
	Ratio   float64 `json:"ratio"`   // how many times as fast To was
	Noise   float64 `json:"noise"`   // deviation of a window, as part of it
	Windows int     `json:"windows"` // that it was tried for
	Reason  string  `json:"reason"`
	// "model", "coalesce", "cache", "topology", or "check" of the setting that the search has found
	Phase string `json:"phase"`
}
