package page

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Heat is the number of bytes that wait or are in flight between ranks, as a square of at most 64 by 64 cells. Each
// cell covers Each by Each ranks.
type Heat struct {
	Each  int    `json:"each"`
	Side  int    `json:"side"`
	Cells []Cell `json:"cells"` // nonempty cells, by row
}

// Cell is the content of the links between two groups of ranks.
type Cell struct {
	From    int   `json:"from"` // row: ranks from From*Each
	To      int   `json:"to"`
	Bytes   int64 `json:"bytes"`
	Filling int64 `json:"filling"` // bytes, in addition to Bytes
	Flight  int64 `json:"flight"`  // frames
	Waiting int64 `json:"waiting"` // frames
}

func heatOf(j *state.Job) Heat {
	h := Heat{Each: span(j.Ranks), Cells: []Cell{}}
	h.Side = (max(0, j.Ranks) + h.Each - 1) / h.Each
	square := make([]Cell, h.Side*h.Side)
	links(j, func(l *state.Held) {
		if l.From < 0 || l.From >= j.Ranks || l.To < 0 || l.To >= j.Ranks {
			return
		}
		c := &square[l.From/h.Each*h.Side+l.To/h.Each]
		c.Bytes += l.Bytes
		c.Filling += l.Filling
		c.Flight += l.Flight
		c.Waiting += l.Waiting
	})
	for i, c := range square {
		if c.Bytes > 0 || c.Filling > 0 {
			c.From, c.To = i/h.Side, i%h.Side
			h.Cells = append(h.Cells, c)
		}
	}
	return h
}

// links calls f for each link. Its argument is valid until f returns.
func links(j *state.Job, f func(*state.Held)) {
	var held state.Held
	ranks(j, func(_ *state.Process, r *state.Rank) {
		for _, l := range r.Links {
			held = state.Held{From: r.Rank, Link: l}
			f(&held)
		}
	})
}

// fullest returns the fullest links, in descending order.
func fullest(j *state.Job, most int) []state.Held {
	all := make([]state.Held, 0, most+1)
	links(j, func(l *state.Held) {
		if l.Bytes <= 0 && l.Filling <= 0 || len(all) == most && byBytes(all[most-1], *l) < 0 {
			return
		}
		at, _ := slices.BinarySearchFunc(all, *l, byBytes)
		all = slices.Insert(all, at, *l)
		all = all[:min(most, len(all))]
	})
	for i := range all {
		all[i].Target = clip(all[i].Target)
	}
	return all
}

// byBytes puts the fuller link first.
func byBytes(a, b state.Held) int {
	if c := cmp.Compare(b.Bytes+b.Filling, a.Bytes+a.Filling); c != 0 {
		return c
	}
	return byEnds(a, b)
}

func byEnds(a, b state.Held) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Target, b.Target))
}
