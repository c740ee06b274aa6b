package tune

import "fmt"

// Setting is a tuner's choice.
type Setting struct {
	Topology string `json:"topology"` // a name for route.ByName
	Coalesce int    `json:"coalesce"` // pebbles per buffer
	Cache    int    `json:"cache"`    // entries of the reduction cache, 0 for none
}

// String describes the setting.
func (s Setting) String() string {
	cache := "no cache"
	if s.Cache > 0 {
		cache = fmt.Sprintf("a cache of %d entries", s.Cache)
	}
	return fmt.Sprintf("%s topology, %d pebbles a buffer, %s", s.Topology, s.Coalesce, cache)
}

func (s Setting) check() error {
	switch {
	case s.Topology == "":
		return fmt.Errorf("the topology has no name")
	case s.Coalesce < 1:
		return fmt.Errorf("coalescing factor %d: a buffer holds at least one pebble", s.Coalesce)
	case s.Cache < 0:
		return fmt.Errorf("a cache of %d entries: give a positive number, or 0 for none", s.Cache)
	}
	return nil
}

// change describes the differences between two settings.
func change(from, to Setting) string {
	text := ""
	add := func(name string, from, to any) {
		if from != to {
			text += fmt.Sprintf(", %s %v -> %v", name, from, to)
		}
	}
	add("topology", from.Topology, to.Topology)
	add("coalesce", from.Coalesce, to.Coalesce)
	add("cache", from.Cache, to.Cache)
	return text[2:]
}

// Window is the result of a job under one setting: some epochs, a part of one, or a whole run.
type Window struct {
	Work     float64 // of all ranks: pebbles handled, or the program's own count
	Seconds  float64 // of the slowest rank
	Overhead float64 // seconds lost between the window before and this one: no part of its rate
}

// Join merges the windows of two ranks: the operation of an all-reduction.
func (w Window) Join(other Window) Window {
	return Window{w.Work + other.Work, max(w.Seconds, other.Seconds), max(w.Overhead, other.Overhead)}
}

// Decision is one change that was tried.
type Decision struct {
	Window  int     `json:"window"` // number of windows before
	From    Setting `json:"from"`
	To      Setting `json:"to"`
	Kept    bool    `json:"kept"`    // by a check; for others, taken until the check
	Ratio   float64 `json:"ratio"`   // speed of To relative to From
	Noise   float64 `json:"noise"`   // deviation of a window, as a fraction of it
	Windows int     `json:"windows"` // of the trial
	Reason  string  `json:"reason"`
	// "model", "coalesce", "cache", "topology", or "check" of the setting that the search has found
	Phase string `json:"phase"`
}
