package watch

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// traceCounts are the counters' values at their last sample.
type traceCounts struct {
	zero time.Time // of the trace's clock
	last time.Time
	of   []state.Counters // by rank of this process
}

// tellCounters samples the counters of this process's ranks for the trace: rates since the last sample, and held bytes.
func (o *outlets) tellCounters(here func(events int) *state.Job) {
	f, c := o.trace, &o.counts
	if f == nil || o.simulated {
		return
	}
	j := here(0)
	at, seconds := j.Taken.Sub(c.zero), j.Taken.Sub(c.last).Seconds()
	if seconds <= 0 {
		return
	}
	c.last = j.Taken
	if c.of == nil {
		c.of = make([]state.Counters, o.place.Last-o.place.First)
	}
	for i, r := range j.Processes[0].Ranks {
		rate := func(name string, now, before uint64) { f.Counter(r.Rank, name, at, float64(now-before)/seconds) }
		rate("pebbles handled/s", r.Counters.PebblesHandled, c.of[i].PebblesHandled)
		rate("bytes sent/s", r.Counters.BytesSent, c.of[i].BytesSent)
		f.Counter(r.Rank, "bytes held", at, float64(r.Memory.Held))
		c.of[i] = r.Counters
	}
}
