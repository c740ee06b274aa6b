package record

import (
	"fmt"
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Totals are the counters and the seconds of all ranks together.
func (k *Record) Totals() (c state.Counters, s state.Seconds) {
	counters, seconds := make([]int64, len(counterNames)), make([]int64, len(secondNames))
	for _, r := range k.Ranks {
		sum(counters, valuesOf(r.Counters))
		sum(seconds, valuesOf(r.Seconds))
	}
	return structure[state.Counters](counters), structure[state.Seconds](seconds)
}

// pair is something said of a job: what it is, and how much.
type pair struct{ Name, Says string }

// about is what the job was.
func (k *Record) about() []pair {
	j := k.Job
	hosts := map[string]bool{}
	for _, p := range k.Processes {
		hosts[p.Host] = true
	}
	return []pair{
		{"program", j.Program},
		{"job", orNone(j.ID)},
		{"ranks", fmt.Sprintf("%d, of which this record has %d %s on %d %s", j.Ranks, len(k.Processes),
			plural(len(k.Processes), "process", "processes"), len(hosts), plural(len(hosts), "host", "hosts"))},
		{"transport", orNone(j.Transport)},
		{"started", stamp(j.Started).Format("2006-01-02 15:04:05 UTC")},
		{"ran for", secondsText(k.Seconds())},
	}
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// did is what the job did in all.
func (k *Record) did() []pair {
	c, s := k.Totals()
	ran := max(k.Seconds(), 0.001)
	spent := max(s.Compute+s.Handle+s.Credit+s.Idle+s.Served, 0.001)
	share := func(of float64) string { return fmt.Sprintf("%.0f%%", 100*of/spent) }
	epochs := uint64(0)
	for _, r := range k.Ranks {
		epochs = max(epochs, r.Counters.Epochs)
	}
	return []pair{
		{"pebbles handled", fmt.Sprintf("%s, %s a second", countText(float64(c.PebblesHandled)),
			countText(float64(c.PebblesHandled)/ran))},
		{"bytes sent", fmt.Sprintf("%s, %s a second", values.BytesText(int64(c.BytesSent)),
			values.BytesText(int64(float64(c.BytesSent)/ran)))},
		{"epochs", fmt.Sprint(epochs)},
		{"time of the ranks", fmt.Sprintf("computing %s, handling %s, waiting for credit %s, other waits %s",
			share(s.Compute), share(s.Handle), share(s.Credit), share(s.Idle+s.Served))},
	}
}

// settings are the settings by name.
func (k *Record) settings() (all []pair) {
	for _, name := range slices.Sorted(maps.Keys(k.Job.Settings)) {
		all = append(all, pair{name, k.Job.Settings[name]})
	}
	return all
}

// Says is an epoch in words.
func (e Epoch) Says() string {
	text := fmt.Sprintf("from %s", secondsText(e.Begin))
	switch {
	case e.End == 0:
		text += ", no end is known"
	case e.Ended < e.Began:
		text += fmt.Sprintf(" to %s, and %d of %d ranks are not known to have ended it", secondsText(e.End),
			e.Began-e.Ended, e.Began)
	default:
		text += fmt.Sprintf(" to %s: %s", secondsText(e.End), secondsText(e.End-e.Begin))
	}
	return text
}

// Title is what an epoch is called.
func (e Epoch) Title() string {
	text := fmt.Sprintf("epoch %d", e.Number)
	if e.Name != "" {
		text += fmt.Sprintf(" %q", e.Name)
	}
	if e.Site != "" {
		text += " at " + e.Site
	}
	return text
}

// worstIn are the ranks that are worst in something.
type worstIn struct {
	What  string
	Ranks []pair
}

// worstOnes are the ranks that are worst, at most n for each thing.
func (k *Record) worstOnes(n int) (all []worstIn) {
	for _, in := range []struct {
		what string
		of   func(*Rank) float64
		says func(*Rank) string
	}{
		{"stood still longest", stoodStill, func(r *Rank) string {
			return secondsText(r.StillMost) + ", at the end " + r.where()
		}},
		{"held most memory", heldMemory, func(r *Rank) string {
			return fmt.Sprintf("%s of %s", values.BytesText(r.Memory.Peak), values.BytesText(r.Memory.Limit))
		}},
		{"waited most for credit", waitedCredit, func(r *Rank) string { return secondsText(r.Seconds.Credit) }},
	} {
		w := worstIn{What: in.what}
		for _, r := range k.worst(n, in.of) {
			w.Ranks = append(w.Ranks, pair{fmt.Sprintf("rank %d", r.Rank.Rank), in.says(r)})
		}
		if len(w.Ranks) > 0 {
			all = append(all, w)
		}
	}
	return all
}

// where says what a rank did last.
func (r *Rank) where() string {
	text := string(r.Doing)
	if r.Wait != "" {
		text += ": " + r.Wait
	}
	if r.For >= 0 {
		text += fmt.Sprintf(" (for rank %d)", r.For)
	}
	if r.Target != "" {
		text += fmt.Sprintf(", target %q", r.Target)
	}
	return text
}

// eventText is an event in words.
func eventText(e state.Event) string {
	text := fmt.Sprintf("%11.6f s  %s", e.At, e.Kind)
	if e.Number > 0 {
		text += fmt.Sprintf(" %d", e.Number)
	}
	if e.Name != "" {
		text += " " + e.Name
	}
	if e.Site != "" {
		text += " at " + e.Site
	}
	if e.End > 0 {
		text += ", took " + secondsText(e.End-e.At)
	}
	return text
}
