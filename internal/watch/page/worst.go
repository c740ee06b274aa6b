package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Worst is a rank that holds up the job.
type Worst struct {
	Rank    int      `json:"rank"`
	Process int      `json:"process"`
	Host    string   `json:"host"`
	Doing   string   `json:"doing"` // description
	Still   float64  `json:"still"` // seconds
	Waiters int      `json:"waiters"`
	Stack   []string `json:"stack"` // innermost first
}

// framesMost bounds the lines of a stack in a view.
const framesMost = 24

// suspect is a candidate for the worst ranks.
type suspect struct {
	rank    *state.Rank
	process *state.Process
	lost    bool // its process has ended before it, or is stopped
	waiters int  // ranks that wait for it
}

// worst returns the ranks of lost processes, then those that others wait for, then those longest without progress.
func worst(j *state.Job) []Worst {
	waiters := map[int]int{}
	ranks(j, func(_ *state.Process, r *state.Rank) {
		if r.For >= 0 && r.For != r.Rank && r.Doing == state.Waiting {
			waiters[r.For]++
		}
	})
	_, culprits := j.Conclude()
	for _, c := range culprits { // ranks that wait for all others wait for these
		waiters[c.Rank] += j.WaitForAll()
	}
	var all []suspect
	ranks(j, func(p *state.Process, r *state.Rank) {
		s := suspect{rank: r, process: p, waiters: waiters[r.Rank]}
		s.lost = r.Doing != state.Ended && (p.Ended != "" || p.Stopped)
		if s.lost || s.waiters > 0 || r.StillSeconds >= waitsAfter && r.Doing != state.Ended {
			all = append(all, s)
		}
	})
	slices.SortFunc(all, suspect.compare)
	list := make([]Worst, 0, worstMost)
	for _, s := range all[:min(worstMost, len(all))] {
		list = append(list, s.tell())
	}
	return list
}

// compare puts the worse rank first. It compares whole seconds, so that ranks that stopped together keep their order.
func (s suspect) compare(t suspect) int {
	if s.lost != t.lost {
		return map[bool]int{true: -1, false: 1}[s.lost]
	}
	return cmp.Or(cmp.Compare(t.waiters, s.waiters), cmp.Compare(t.seconds(), s.seconds()),
		cmp.Compare(s.rank.Rank, t.rank.Rank))
}

func (s suspect) seconds() float64 { return math.Floor(s.rank.StillSeconds) }

func (s suspect) tell() Worst {
	r, p := s.rank, s.process
	w := Worst{Rank: r.Rank, Process: p.Process, Host: clip(p.Host), Doing: clip(r.Place()),
		Still: r.StillSeconds, Waiters: s.waiters, Stack: []string{}}
	switch {
	case p.Ended != "":
		w.Doing = clip("its process has ended: " + p.Ended)
	case p.Stopped:
		w.Doing = "its process is stopped by a signal"
	case p.SilentSeconds >= silentAfter:
		w.Doing = clip(fmt.Sprintf("has told nothing for %.0f s; before, it %s", p.SilentSeconds, r.Place()))
	}
	for _, line := range r.Stack[:min(framesMost, len(r.Stack))] {
		w.Stack = append(w.Stack, clip(line))
	}
	return w
}
