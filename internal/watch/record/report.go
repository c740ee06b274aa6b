package record

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// section is a part of a report.
type section struct {
	Title string
	Lines []string
}

// bounds are the maximum numbers of lines for each topic of a report.
type bounds struct{ facts, problems, ranks, events, worst, epochs, processes int }

// add appends a line. Control characters, and characters that reverse the direction of text, become spaces.
func (s *section) add(format string, values ...any) {
	text := strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return c
	}, fmt.Sprintf(format, values...))
	s.Lines = append(s.Lines, shortened(text))
}

// addAll appends the first lines of a list, and the number of the others.
func (s *section) addAll(lines []string, most int) {
	for _, text := range lines[:min(len(lines), most)] {
		s.add("%s", text)
	}
	if len(lines) > most {
		s.add("and %d more", len(lines)-most)
	}
}

// sections returns the contents of a report, the end of the job first.
func (k *Record) sections(n bounds) []section {
	all := []section{k.endSection(n), k.problemSection(n)}
	for _, r := range k.atFault(n.ranks) {
		all = append(all, r.section(n))
	}
	all = append(all, k.jobSection(), k.worstSection(n), k.epochSection(n), k.processSection(n), k.settingSection())
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Lines) == 0 })
}

func (k *Record) endSection(n bounds) section {
	s := section{Title: fmt.Sprintf("%s %s", k.Job.Program, k.Ending.Kind)}
	s.add("%s", k.Ending.Cause)
	s.addAll(k.Ending.Facts, n.facts)
	return s
}

func (k *Record) problemSection(n bounds) section {
	s := section{Title: "The record has gaps"}
	s.addAll(k.Problems, n.problems)
	return s
}

// section returns the last state of a rank and its last events.
func (r *Rank) section(n bounds) section {
	last := r.Rank
	last.Events = last.Events[max(0, len(last.Events)-n.events):]
	s := section{Title: fmt.Sprintf("At the end %s; it was %s", last.String(), callText(r.Call))}
	for _, text := range last.Details() {
		s.add("%s", text)
	}
	for _, l := range r.Links {
		s.add("%s", state.Held{From: r.Rank.Rank, Link: l})
	}
	if r.Dropped > 0 {
		s.add("at least %d other events are not in the record", r.Dropped)
	}
	return s
}

func (k *Record) jobSection() section {
	j, s := k.Job, section{Title: "The job"}
	hosts := map[string]bool{}
	for _, p := range k.Processes {
		hosts[p.Host] = true
	}
	epochs, c, spent := uint64(0), state.Counters{}, state.Seconds{}
	for _, r := range k.Ranks {
		epochs = max(epochs, r.Counters.Epochs)
		c.PebblesHandled += r.Counters.PebblesHandled
		c.BytesSent += r.Counters.BytesSent
		spent.Compute += r.Seconds.Compute
		spent.Handle += r.Seconds.Handle
		spent.Credit += r.Seconds.Credit
		spent.Idle += r.Seconds.Idle + r.Seconds.Served
	}
	ran := max(k.Seconds(), 0.001)
	all := max(spent.Compute+spent.Handle+spent.Credit+spent.Idle, 0.001)
	percent := func(of float64) string { return fmt.Sprintf("%.0f%%", 100*of/all) }
	s.add("job: %s", orNone(j.ID))
	s.add("ranks: %d; the record holds %d %s on %d %s", j.Ranks, len(k.Processes),
		plural(len(k.Processes), "process", "processes"), len(hosts), plural(len(hosts), "host", "hosts"))
	s.add("transport: %s", orNone(j.Transport))
	s.add("started: %s", stamp(j.Started).Format("2006-01-02 15:04:05 UTC"))
	s.add("ran for: %s", state.Lasting(k.Seconds()))
	s.add("pebbles handled: %s, %s per second", countText(float64(c.PebblesHandled)),
		countText(float64(c.PebblesHandled)/ran))
	s.add("bytes sent: %s, %s per second", values.BytesText(int64(c.BytesSent)),
		values.BytesText(int64(float64(c.BytesSent)/ran)))
	s.add("epochs: %d", epochs)
	s.add("time of the ranks: computing %s, handling %s, waiting for credit %s, other waits %s",
		percent(spent.Compute), percent(spent.Handle), percent(spent.Credit), percent(spent.Idle))
	return s
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// worstSection lists the ranks that stand out.
func (k *Record) worstSection(n bounds) section {
	s := section{Title: "Worst ranks"}
	for _, in := range []struct {
		title string
		of    func(*Rank) float64
		text  func(*Rank) string
	}{
		{"stood still longest", stoodStill, func(r *Rank) string {
			return state.Lasting(r.StillMost) + ", at the end " + r.Place()
		}},
		{"held most memory", heldMemory, func(r *Rank) string {
			return fmt.Sprintf("%s of %s", values.BytesText(r.Memory.Peak), values.BytesText(r.Memory.Limit))
		}},
		{"waited most for credit", waitedCredit, func(r *Rank) string { return state.Lasting(r.Seconds.Credit) }},
	} {
		var all []string
		for _, r := range k.worst(n.worst, in.of) {
			all = append(all, fmt.Sprintf("rank %d: %s", r.Rank.Rank, in.text(r)))
		}
		if len(all) > 0 {
			s.add("%s: %s", in.title, strings.Join(all, "; "))
		}
	}
	return s
}

func (k *Record) epochSection(n bounds) section {
	s := section{Title: "Last epochs, in seconds since the start"}
	for _, e := range k.Epochs[max(0, len(k.Epochs)-n.epochs):] {
		s.add("%s", e.String())
	}
	return s
}

// String describes an epoch in words.
func (e Epoch) String() string {
	text := fmt.Sprintf("epoch %d", e.Number)
	if e.Name != "" {
		text += " " + strconv.Quote(e.Name)
	}
	text += state.OfTeam(e.Team)
	if e.Site != "" {
		text += " at " + e.Site
	}
	text += ": from " + state.Lasting(e.Begin)
	switch {
	case e.End == 0:
		text += ", its end is unknown"
	case e.Ended < e.Began:
		text += fmt.Sprintf(" to %s, and %d of %d ranks are not known to have ended it", state.Lasting(e.End),
			e.Began-e.Ended, e.Began)
	default:
		text += fmt.Sprintf(" to %s: %s", state.Lasting(e.End), state.Lasting(e.End-e.Begin))
	}
	return text
}

// processSection lists the end of each process, those that did not end in order first.
func (k *Record) processSection(n bounds) section {
	exits := map[int]string{}
	for _, e := range k.Exits {
		exits[e.Process] = "; the launcher: " + e.How
	}
	var odd, even []string
	for _, p := range k.Processes {
		after := state.Lasting(k.after(p.Heard))
		text := k.name(p.Process)
		switch {
		case p.Ended && p.How == "" && len(p.Failures) == 0:
			even = append(even, text+" ended in order after "+after+exits[p.Process])
			continue
		case p.Ended && p.How != "":
			text += " ended after " + after + ": " + p.How
		case len(p.Failures) > 0:
			text += " said, after " + after + ": " + p.Failures[0].Cause
		default:
			text += " breaks off after " + after
		}
		odd = append(odd, text+exits[p.Process])
	}
	s := section{Title: "Processes"}
	if n.processes > 0 {
		s.addAll(append(odd, even...), n.processes)
	}
	return s
}

func (k *Record) settingSection() section {
	s := section{Title: "Settings"}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(k.Job.Settings)) {
		all = append(all, name+"="+k.Job.Settings[name])
	}
	if len(all) > 0 {
		s.add("%s", strings.Join(all, " "))
	}
	return s
}
