package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Bounds of what is said of an ending.
const (
	othersMost = 3
	groupsMost = 4
	spansMost  = 8
	stillLeast = 3 // seconds
)

// facts are what else bears on an ending: memory, what others say, who was not with the others, and the last verdict.
func (k *Record) facts(e *Ending) (all []string) {
	if p := k.process(e.Process); p != nil && p.Seconds > 0 {
		all = append(all, fmt.Sprintf("In its last second it had %s of memory, and its ranks held %s of %s for pebbles.",
			values.BytesText(p.Resident), values.BytesText(p.Held), values.BytesText(p.Bound)))
	}
	all = append(all, k.others(e)...)
	all = append(all, k.whoWasApart()...)
	if p := k.stillest(); p != nil {
		all = append(all, fmt.Sprintf("Nothing had moved for %s: %s", secondsText(p.Still), p.Verdict))
	}
	return all
}

// others are what other processes have said of the failure: what is the same once.
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
		after := secondsText(k.after(k.process(processes[0]).Failures[0].At))
		who, say := "Process", "says"
		if len(processes) > 1 {
			who, say = "Processes", "say"
		}
		all = append(all, fmt.Sprintf("%s %s %s, after %s: %s", who, spans(processes), say, after, cause))
	}
	if more := len(causes) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("Other processes say %d other things.", more))
	}
	return all
}

// whoWasApart says where the ranks were that were not with the others.
func (k *Record) whoWasApart() (all []string) {
	if len(k.Groups) < 2 {
		return nil
	}
	for _, g := range k.Groups[:min(len(k.Groups), groupsMost)] {
		all = append(all, fmt.Sprintf("%s %s: %s.", plural(len(g.Ranks), "rank", "ranks"), spans(g.Ranks), callText(g.Call)))
	}
	if more := len(k.Groups) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("The others were in %d other calls.", more))
	}
	all[0] = "Not all ranks were in the same call in their last second. " + all[0]
	return all
}

// stillest is the process that says for longest that nothing moves; nil when none does.
func (k *Record) stillest() (most *Process) {
	for _, p := range k.Processes {
		if p.Still >= stillLeast && p.Verdict != "" && (most == nil || p.Still > most.Still) {
			most = p
		}
	}
	return most
}

// callText says which call a rank has begun last.
func callText(c state.Call) string {
	if c.Number == 0 {
		return "before their first call"
	}
	text := "after"
	if c.Open {
		text = "in"
	}
	text += fmt.Sprintf(" call %d, %s", c.Number, c.Kind)
	if c.Name != "" {
		text += " " + strconv.Quote(c.Name)
	}
	if c.Site != "" {
		text += " at " + c.Site
	}
	return text
}

// plural is one word or the other.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// spans writes ranks that grow as 0-3, 7, and how many more there are of many.
func spans(ranks []int) string {
	var parts []string
	for len(ranks) > 0 {
		n := 1
		for n < len(ranks) && ranks[n] == ranks[0]+n {
			n++
		}
		if len(parts) == spansMost {
			return fmt.Sprintf("%s and %d more", strings.Join(parts, ", "), len(ranks))
		}
		part := strconv.Itoa(ranks[0])
		if n > 1 {
			part += "-" + strconv.Itoa(ranks[n-1])
		}
		parts = append(parts, part)
		ranks = ranks[n:]
	}
	return strings.Join(parts, ", ")
}

// secondsText is a time with the digits that matter.
func secondsText(s float64) string {
	switch {
	case s < 0.1:
		return fmt.Sprintf("%.3g ms", s*1000)
	case s < 100:
		return fmt.Sprintf("%.3g s", s)
	case s < 1e9:
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g s", s)
}

// countText is a number with four digits, and its thousands.
func countText(n float64) string {
	for _, unit := range []string{"", " thousand", " million", " billion"} {
		if n < 1000 {
			return fmt.Sprintf("%.4g%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g trillion", n)
}
