package tune

// Window is what a job did under one setting: an epoch, or a part of one.
type Window struct {
	Work     float64 // of all ranks: pebbles handled, or whatever the program counts
	Seconds  float64 // of the slowest rank
	Overhead float64 // seconds that the job has lost beside them, between this window and the one before: no part of its rate
}

// Join puts the windows of two ranks together: what an all-reduction merges by.
func (w Window) Join(other Window) Window {
	return Window{w.Work + other.Work, max(w.Seconds, other.Seconds), max(w.Overhead, other.Overhead)}
}

// empty reports whether there was nothing to measure.
func (w Window) empty() bool { return !(w.Work > 0) || !(w.Seconds > 0) }

func (w Window) rate() float64 { return w.Work / w.Seconds }
