package record

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Bounds of the facts about an ending.
const (
	othersMost = 3
	groupsMost = 4
	stillLeast = 3 // seconds
)

// facts returns the facts about an ending: memory, other processes, ranks apart, and the last verdict.
func (k *Record) facts(e *Ending) (all []string) {
	if p := k.process(e.Process); p != nil && p.Seconds > 0 {
		all = append(all, fmt.Sprintf("In its last second it had %s of memory, and its ranks held %s of %s for pebbles.",
			values.BytesText(p.Resident), values.BytesText(p.Held), values.BytesText(p.Bound)))
	}
	all = append(all, k.others(e)...)
	all = append(all, k.whoWasApart()...)
	if p := k.stillest(); p != nil {
		all = append(all, fmt.Sprintf("Nothing had moved for %s: %s", state.Lasting(p.Still), p.Verdict))
	}
	return all
}

// others returns the distinct causes that other processes report.
func (k *Record) others(e *Ending) (all []string) {
	by := map[string][]int{}
	var causes []string
	for _, p := range k.Processes {
		if len(p.Failures) == 0 || p.Process == e.Process || strings.HasSuffix(e.Cause, p.Failures[0].Cause) {
			continue
		}
		cause := p.Failures[0].Cause
		if by[cause] == nil {
			causes = append(causes, cause)
		}
		by[cause] = append(by[cause], p.Process)
	}
	for _, cause := range causes[:min(len(causes), othersMost)] {
		processes := by[cause]
		after := state.Lasting(k.after(k.process(processes[0]).Failures[0].At))
		who, say := "Process", "says"
		if len(processes) > 1 {
			who, say = "Processes", "say"
		}
		all = append(all, fmt.Sprintf("%s %s %s, after %s: %s", who, state.Brief(processes), say, after, cause))
	}
	if more := len(causes) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("Other processes say %d other things.", more))
	}
	return all
}

// whoWasApart lists the last calls of the ranks, if they differ.
func (k *Record) whoWasApart() (all []string) {
	if len(k.Groups) < 2 {
		return nil
	}
	for _, g := range k.Groups[:min(len(k.Groups), groupsMost)] {
		word := plural(len(g.Ranks), "rank", "ranks")
		all = append(all, fmt.Sprintf("%s %s: %s.", word, state.Brief(g.Ranks), callText(g.Call)))
	}
	if more := len(k.Groups) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("The others were in %d other calls.", more))
	}
	all[0] = "Not all ranks were in the same call in their last second. " + all[0]
	return all
}

// stillest returns the process that reports the longest standstill, or nil if none does.
func (k *Record) stillest() (most *Process) {
	for _, p := range k.Processes {
		if p.Still >= stillLeast && p.Verdict != "" && (most == nil || p.Still > most.Still) {
			most = p
		}
	}
	return most
}

// callText describes the last call of a rank.
func callText(c state.Call) string {
	switch {
	case c.Number == 0:
		return "before their first call"
	case c.Open:
		return fmt.Sprintf("in call %d, %s", c.Number, c)
	}
	return fmt.Sprintf("after call %d, %s", c.Number, c)
}

// plural selects singular or plural.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// countText formats a number with four digits and a unit such as million.
func countText(n float64) string {
	for _, unit := range []string{"", " thousand", " million", " billion"} {
		if n < 1000 {
			return fmt.Sprintf("%.4g%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g trillion", n)
}
