package state

import (
	"slices"
	"strings"
	"time"
)

// Report describes a job that stands still, or on request. Its size is bounded, whatever the number of ranks.
type Report struct {
	Verdict   string    `json:"verdict"`   // one sentence
	Program   string    `json:"program"`   //
	ID        string    `json:"id"`        // of the job
	Taken     string    `json:"taken"`     // RFC 3339
	Ranks     int       `json:"ranks"`     //
	Culprits  []Rank    `json:"culprits"`  // ranks apart from the others, at most CulpritsMost
	More      int       `json:"more"`      // number of further culprits
	Groups    []Group   `json:"groups"`    // all ranks, by place
	Links     []Held    `json:"links"`     // fullest links, at most LinksMost
	Processes []Process `json:"processes"` // silent or ended ones, without their ranks
	Stacks    []Stack   `json:"stacks"`    // tree of all ranks' calls
}

// CulpritsMost bounds the ranks that a report shows in full.
const CulpritsMost = 8

// Group is the ranks at one place.
type Group struct {
	Ranks string `json:"ranks"` // "0-3, 7"
	Count int    `json:"count"`
	Place string `json:"place"` // in words
	Moves bool   `json:"moves"` // they make progress
}

// Held is a link and its sending rank.
type Held struct {
	From int `json:"from"`
	Link
}

// Stack is a function in the tree of calls. Callers precede it.
type Stack struct {
	Depth int    `json:"depth"`
	Ranks string `json:"ranks"`
	Call  string `json:"call"`  // "function file:line"
	Moves bool   `json:"moves"` // ranks there were elsewhere a moment later
}

// Calls are the calls of ranks with equal stacks.
type Calls struct {
	Ranks []int    `json:"ranks"`
	Calls []string `json:"calls"` // "function file:line", the innermost first
	Moves bool     `json:"moves"` // some of the ranks were elsewhere a moment later
}

// MakeReport returns the report of a job. stacks are those of the processes that have answered.
func MakeReport(j *Job, stacks []Calls) *Report {
	verdict, culprits := j.Conclude()
	r := &Report{
		Verdict: verdict, Program: j.Program, ID: j.ID, Taken: j.Taken.Format(time.RFC3339), Ranks: j.Ranks,
		Stacks: tree(stacks),
	}
	r.More = max(0, len(culprits)-CulpritsMost)
	for _, c := range culprits[:len(culprits)-r.More] {
		c.Events = c.Events[max(0, len(c.Events)-eventsShown):]
		c.Stack = stackOf(stacks, c.Rank)
		r.Culprits = append(r.Culprits, c)
	}
	var all []Rank
	var links []Held
	j.each(func(rank *Rank) {
		all = append(all, *rank)
		for _, l := range rank.Links {
			links = append(links, Held{rank.Rank, l})
		}
	})
	r.Links = fullest(links)
	r.groups(all)
	for _, p := range j.Processes {
		if p.Ended != "" || p.Stopped || p.SilentSeconds > silentSeconds {
			p.Ranks = nil
			r.Processes = append(r.Processes, p)
		}
	}
	return r
}

// Witnesses returns the processes whose stacks explain the verdict: those of the ranks apart from the others that a
// report shows, and of one rank at each place.
func (j *Job) Witnesses() (processes []int) {
	_, ranks := j.Conclude()
	ranks = slices.Clone(ranks[:min(len(ranks), CulpritsMost)])
	var all []Rank
	j.each(func(rank *Rank) { all = append(all, *rank) })
	groups := group(all)
	for _, g := range groups[:min(len(groups), groupsShown)] {
		ranks = append(ranks, g[0])
	}
	for _, p := range j.Processes {
		if slices.ContainsFunc(ranks, func(r Rank) bool { return p.First <= r.Rank && r.Rank < p.Last }) {
			processes = append(processes, p.Process)
		}
	}
	return processes
}

// Further limits of a report.
const (
	eventsShown = 12 // of a culprit
	groupsShown = 40
	nodesShown  = 200 // of the tree of calls
	callsShown  = 40  // of one stack
)

func (r *Report) groups(all []Rank) {
	for i, g := range group(all) {
		told := Group{Count: len(g), Place: g[0].Place()}
		if i >= groupsShown {
			last := &r.Groups[groupsShown-1]
			last.Count += told.Count
			last.Ranks, last.Place = "", "elsewhere, in more groups than are shown"
			continue
		}
		var of []int
		for _, rank := range g {
			of = append(of, rank.Rank)
			told.Moves = told.Moves || rank.StillSeconds == 0
		}
		told.Ranks = Brief(of)
		r.Groups = append(r.Groups, told)
	}
}

// Brief formats growing numbers like [Spans], and cuts a list that is too long to read.
func Brief(all []int) string {
	const most = 200
	spans := Spans(all)
	if len(spans) <= most {
		return spans
	}
	return spans[:strings.LastIndexByte(spans[:most], ',')] + ", ..."
}

func stackOf(stacks []Calls, rank int) []string {
	for _, s := range stacks {
		if slices.Contains(s.Ranks, rank) {
			return s.Calls[:min(len(s.Calls), callsShown)]
		}
	}
	return nil
}
