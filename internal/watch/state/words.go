package state

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Spans formats growing numbers like "0-3, 7".
func Spans(all []int) string {
	var texts []string
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		text := strconv.Itoa(all[i])
		if j > i {
			text += "-" + strconv.Itoa(all[j])
		}
		texts = append(texts, text)
		i = j + 1
	}
	return strings.Join(texts, ", ")
}

// ranks names some ranks: "rank 3", "ranks 0-3, 7", "63 ranks".
func ranks(all []Rank) string {
	const few = 4
	numbers := make([]int, len(all))
	for i := range all {
		numbers[i] = all[i].Rank
	}
	switch spans := Spans(numbers); {
	case len(all) == 1:
		return "rank " + spans
	case strings.Count(spans, ",") < few:
		return "ranks " + spans
	}
	return fmt.Sprintf("%d ranks", len(all))
}

// verb selects the form of a verb for a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Lasting formats a number of seconds with the digits that matter: 2m5s, 17s, 4.3s, 120ms.
func Lasting(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for unit := time.Second; unit > time.Microsecond; unit /= 10 {
		if d >= 10*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Microsecond).String()
}

// at returns a place in the program, in brackets, or "" if it is unknown.
func at(site string) string {
	if site == "" {
		return ""
	}
	return " (" + site + ")"
}

// String describes a call: `epoch "relax" (bfs.go:88)`, `barrier (main.go:12)`.
func (c Call) String() string {
	text := c.Kind
	if c.Name != "" {
		text += " " + strconv.Quote(c.Name)
	}
	return text + OfTeam(c.Team) + at(c.Site)
}

// OfTeam says whose a call is; "" for the whole job.
func OfTeam(name string) string {
	if name == "" {
		return ""
	}
	return " of team " + strconv.Quote(name)
}

// within names the open epoch of a call, if any.
func (c Call) within() string {
	if !c.Open || c.Kind != "epoch" {
		return ""
	}
	return ", in " + c.String()
}

// Place describes the place of a rank. Ranks are grouped by this text.
func (r *Rank) Place() string {
	switch c := r.Call; r.Doing {
	case Ended:
		return "has returned from its function"
	case Starting:
		return "has not begun"
	case Handling:
		return fmt.Sprintf("runs the handler of %q%s", r.Target, c.within())
	case Tasking:
		return "runs a task" + c.within()
	case Moving:
		return "works in a call" + c.within()
	case Computing:
		switch {
		case c.Open:
			return "runs the body of " + c.String()
		case c.Number == 0:
			return "runs its function, and has called nothing yet"
		}
		return "runs its function, after " + c.String()
	}
	return "waits " + r.waits()
}

// waits describes the reason of a rank's wait.
func (r *Rank) waits() string {
	c := r.Call
	switch {
	case r.Target != "":
		text := fmt.Sprintf("for %s of %q", strings.TrimSuffix(r.Wait, " of a link"), r.Target)
		if r.For >= 0 {
			text += fmt.Sprintf(" to rank %d", r.For)
		}
		return text + c.within()
	case r.Wait == WaitEnd:
		return "for the end of " + c.String()
	case r.Wait == WaitOthers:
		return "for the others in " + c.String()
	}
	return "for " + r.Wait + c.within()
}

// Reasons of waits for all other ranks.
const (
	WaitEnd    = "the end of the epoch"
	WaitOthers = "the other ranks"
)

// waitsForAll reports whether a rank waits for all others.
func (r *Rank) waitsForAll() bool {
	return r.Doing == Waiting && (r.Wait == WaitEnd || r.Wait == WaitOthers)
}

// counted formats a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
