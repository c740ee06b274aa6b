package record

import (
	"encoding/json"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// rankMax bounds a rank's lines of a second, together with its part of the process's own, but for absurd numbers.
const rankMax = 1024

// Bounds of what a rank's line has.
const (
	linksMost  = 3
	framesMost = 8 // of a stack
)

// wholeEvery is after how many seconds a rank's line is whole again. The ranks of a process take turns.
const wholeEvery = 32

// seen is what the record has of a rank.
type seen struct {
	place    place
	counters []int64
	seconds  []int64
	call     state.Call
	status   string
	memory   []int64
	links    []state.Link
	stack    []string
	events   eventsSeen
}

// place is where a rank is.
type place struct {
	doing        state.Doing
	target, wait string
	waitsFor     int
	still        float64
}

// seenOf is all of a rank but its events.
func seenOf(r *state.Rank) seen {
	waitsFor := -1
	if r.Wait != "" {
		waitsFor = max(r.For, -1)
	}
	doing := state.Doing(words(string(r.Doing), nameMax))
	return seen{
		place:    place{doing, words(r.Target, nameMax), words(r.Wait, waitMax), waitsFor, rounded(r.StillSeconds)},
		counters: valuesOf(r.Counters),
		seconds:  valuesOf(r.Seconds),
		call:     callOf(r.Call),
		status:   words(r.Status, statusMax),
		memory:   valuesOf(r.Memory),
		links:    linksOf(r.Links),
		stack:    stackOf(r.Stack),
	}
}

// news is what is new of a rank, as a line of at most most bytes; nil when nothing is.
func (s *seen) news(r *state.Rank, n uint64, whole bool, most int) []byte {
	before := *s
	*s = seenOf(r)
	s.events = before.events
	fresh, overrun := s.events.news(r.Events)
	if whole {
		before = seen{}
	}
	line := s.since(&before)
	line.N, line.Rank, line.Whole, line.Overrun = n, r.Rank, whole, overrun
	if !whole && s.place == before.place && line.tellsNothing() && len(fresh) == 0 {
		return nil
	}
	return line.fit(fresh, most)
}

// since is what of a rank differs from before.
func (s *seen) since(before *seen) (line rankLine) {
	p := s.place
	line.Doing, line.Target, line.Wait, line.Still = p.doing, p.target, p.wait, p.still
	if p.waitsFor >= 0 {
		line.For = &p.waitsFor
	}
	line.Counters = added(s.counters, before.counters)
	line.Seconds = added(s.seconds, before.seconds)
	if s.call != before.call {
		line.Call = &s.call
	}
	if s.status != before.status {
		line.Status = &s.status
	}
	if !slices.Equal(s.memory, before.memory) {
		line.Memory = s.memory
	}
	if !slices.Equal(s.links, before.links) {
		line.Links = s.links
	}
	if !slices.Equal(s.stack, before.stack) {
		line.Stack = s.stack
	}
	return line
}

// tellsNothing reports whether a line tells no more than where its rank is.
func (l *rankLine) tellsNothing() bool {
	same := l.Call == nil && l.Status == nil && l.Memory == nil && l.Links == nil && l.Stack == nil
	return same && len(l.Counters) == 0 && len(l.Seconds) == 0 && !l.Overrun
}

// fit writes a line with what there is room for: of links and of a stack a third each, and events.
func (l *rankLine) fit(fresh []state.Event, most int) []byte {
	links, stack := l.Links, l.Stack
	l.Links, l.Stack = links[:0:0], stack[:0:0] // empty or nil, as they were
	room := most - len(appendLine(nil, rankKind, l)) - len(`,"events":[],"dropped":256,"links":[],"stack":[]`)
	third := max(room, 0) / 3
	l.Links = append(l.Links, links[:fitting(links, third)]...)
	l.Stack = append(l.Stack, stack[:fitting(stack, third)]...)
	room -= sizeOf(l.Links) + sizeOf(l.Stack)

	l.Events = choose(fresh, room)
	l.Dropped = len(fresh) - len(l.Events)
	return appendLine(nil, rankKind, l)
}

// choose takes the latest events that fit: waits, which are many, only after all others. They stay in their order.
func choose(fresh []state.Event, room int) (chosen []eventLine) {
	lines := make([]*eventLine, len(fresh))
	for _, waits := range []bool{false, true} {
		for i := len(fresh) - 1; i >= 0; i-- {
			if (fresh[i].Kind == "wait") != waits {
				continue
			}
			line := eventOf(fresh[i])
			if room -= sizeOf([]eventLine{line}); room < 0 {
				break
			}
			lines[i] = &line
		}
	}
	for _, line := range lines {
		if line != nil {
			chosen = append(chosen, *line)
		}
	}
	return chosen
}

// fitting is how many of all, from the first on, fit.
func fitting[T any](all []T, room int) (n int) {
	for n < len(all) {
		if room -= sizeOf(all[n : n+1]); room < 0 {
			break
		}
		n++
	}
	return n
}

// sizeOf is how long some are as a part of a list in JSON.
func sizeOf[T any](all []T) int {
	if len(all) == 0 {
		return 0
	}
	text, _ := json.Marshal(all) // of our types, which it can encode; it escapes more than lines do
	return len(text) - len("[]") + len(",")
}

func callOf(c state.Call) state.Call {
	c.Kind, c.Name, c.Site = words(c.Kind, nameMax), words(c.Name, nameMax), words(c.Site, nameMax)
	return c
}

func linksOf(all []state.Link) []state.Link {
	links := make([]state.Link, 0, linksMost)
	for _, l := range all[:min(len(all), linksMost)] {
		l.Target, l.AgeSeconds = words(l.Target, nameMax), rounded(l.AgeSeconds)
		links = append(links, l)
	}
	return links
}

func stackOf(all []string) []string {
	stack := make([]string, 0, framesMost)
	for _, call := range all[:min(len(all), framesMost)] {
		stack = append(stack, words(call, waitMax))
	}
	return stack
}
