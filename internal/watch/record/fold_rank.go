package record

import "github.com/activepebbles/pebbles/internal/watch/state"

// rank takes in what is new of a rank.
func (r *reading) rank(l *rankLine) {
	p := r.now.process
	if l.Rank < 0 || l.Rank >= rankLimit || p.Last > 0 && (l.Rank < p.First || l.Rank >= p.Last) {
		r.problems.add("process %d: a line of rank %d, which is not its own", p.Process, l.Rank)
		return
	}
	f := r.ranks[l.Rank]
	if f == nil {
		f = &rankFold{rank: &Rank{}}
		f.rank.Rank.Rank = l.Rank
		r.ranks[l.Rank] = f
	}
	f.rank.Process = p.Process
	r.counts(f, l)
	f.place(l)
	f.holds(l)
	for _, line := range l.Events {
		e := state.Event(eventOf(state.Event(line)))
		r.epochs.note(e)
		f.event(e)
	}
}

// counts takes in what a rank has counted.
func (r *reading) counts(f *rankFold, l *rankLine) {
	counters := placed(l.Counters, r.now.counters, len(counterNames))
	seconds := placed(l.Seconds, r.now.seconds, len(secondNames))
	if f.counters == nil {
		f.counters, f.seconds = make([]int64, len(counters)), make([]int64, len(seconds))
		f.at = r.record.Job.Started
	}
	if l.Whole {
		counters, f.counters = difference(counters, f.counters), counters
		seconds, f.seconds = difference(seconds, f.seconds), seconds
	} else {
		sum(f.counters, counters)
		sum(f.seconds, seconds)
	}
	c, s := structure[state.Counters](counters), structure[state.Seconds](seconds)
	r.now.gauges.spread(r.since(f.at), r.since(r.now.at), &[heldMost]float64{
		positive(int64(c.PebblesHandled)), positive(int64(c.BytesSent)), s.Compute, s.Handle, s.Credit, s.Idle,
	})
	f.at = r.now.at
}

func difference(a, b []int64) []int64 {
	all := make([]int64, len(a))
	for i := range a {
		all[i] = a[i] - b[i]
	}
	return all
}

func sum(to, add []int64) {
	for i, v := range add {
		to[i] += v
	}
}

// positive leaves out of a rate what a damaged record may say.
func positive(n int64) float64 { return float64(max(n, 0)) }

// place takes in where a rank is.
func (f *rankFold) place(l *rankLine) {
	k := f.rank
	k.Doing = state.Doing(words(string(l.Doing), nameMax))
	k.Target, k.Wait = words(l.Target, nameMax), words(l.Wait, waitMax)
	if k.For = -1; l.For != nil {
		k.For = *l.For
	}
	k.StillSeconds = rounded(l.Still)
	k.StillMost = max(k.StillMost, k.StillSeconds)
	if l.Whole {
		k.Call, k.Status, k.Memory, k.Links, k.Stack = state.Call{}, "", state.Memory{}, nil, nil
	}
	if l.Call != nil {
		k.Call = callOf(*l.Call)
	}
	if l.Status != nil {
		k.Status = words(*l.Status, statusMax)
	}
}

// holds takes in what a rank holds.
func (f *rankFold) holds(l *rankLine) {
	k := f.rank
	if l.Memory != nil {
		k.Memory = structure[state.Memory](l.Memory)
	}
	if l.Links != nil {
		k.Links = linksOf(l.Links)
	}
	if l.Stack != nil {
		k.Stack = stackOf(l.Stack)
	}
	k.Dropped += uint64(max(l.Dropped, 0))
	if l.Overrun {
		k.Dropped++
	}
}

// event keeps an event among the last of a rank, in place of itself without its end.
func (f *rankFold) event(e state.Event) {
	all := f.rank.Events
	for i := range all {
		if keyOf(all[i]) == keyOf(e) {
			all[i] = e
			return
		}
	}
	if len(all) == eventsKept {
		all = all[:copy(all, all[1:])]
	}
	f.rank.Events = append(all, e)
}
