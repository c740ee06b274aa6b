package watch

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// traceCounts is what the trace's counters had when they were told last.
type traceCounts struct {
	zero time.Time // of the trace's clock
	last time.Time
	of   []state.Counters // by rank of this process
}

// tellCounters tells the trace a second of the counters of each rank here: rates since the last time, and what is held
// now.
func (w *Watcher) tellCounters() {
	f, c := w.outlets.trace, &w.outlets.counts
	if f == nil || w.simulated {
		return
	}
	j := w.here(0)
	at, seconds := j.Taken.Sub(c.zero), j.Taken.Sub(c.last).Seconds()
	if seconds <= 0 {
		return
	}
	c.last = j.Taken
	if c.of == nil {
		c.of = make([]state.Counters, w.place.Last-w.place.First)
	}
	for i, r := range j.Processes[0].Ranks {
		rate := func(name string, now, before uint64) { f.Counter(r.Rank, name, at, float64(now-before)/seconds) }
		rate("pebbles handled/s", r.Counters.PebblesHandled, c.of[i].PebblesHandled)
		rate("bytes sent/s", r.Counters.BytesSent, c.of[i].BytesSent)
		f.Counter(r.Rank, "bytes held", at, float64(r.Memory.Held))
		c.of[i] = r.Counters
	}
}
