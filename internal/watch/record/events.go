package record

import (
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// openMost bounds the events of a rank whose ends are waited for, the latest.
const openMost = 16

// ringFull is how many events a rank keeps: fewer have not overrun it.
const ringFull = 256

// eventKey is what an event is known by.
type eventKey struct {
	at     float64
	kind   string
	number uint64
}

func keyOf(e state.Event) eventKey { return eventKey{e.At, e.Kind, e.Number} }

// eventsSeen is what of a rank's events the record has.
type eventsSeen struct {
	some bool
	last eventKey
	open []eventKey // have no end there
}

// news are the events that are new since the last call: those that have come, and those that have found their end.
// Overrun says that others have come and gone.
func (s *eventsSeen) news(ring []state.Event) (fresh []state.Event, overrun bool) {
	from := 0
	if s.some {
		from = len(ring)
		for from > 0 && keyOf(ring[from-1]) != s.last {
			from--
		}
		overrun = from == 0 && len(ring) >= ringFull
	}
	var open []eventKey
	for i, e := range ring {
		waited := i < from && slices.Contains(s.open, keyOf(e))
		if i >= from || waited && e.End != 0 {
			fresh = append(fresh, e)
		}
		if e.End == 0 && (i >= from || waited) {
			open = append(open, keyOf(e))
		}
	}
	s.open = open[max(0, len(open)-openMost):]
	if len(ring) > 0 {
		s.some, s.last = true, keyOf(ring[len(ring)-1])
	}
	return fresh, overrun
}

func eventOf(e state.Event) eventLine {
	return eventLine{
		At:     rounded(e.At),
		End:    rounded(e.End),
		Kind:   words(e.Kind, nameMax),
		Name:   words(e.Name, waitMax),
		Site:   words(e.Site, nameMax),
		Number: e.Number,
	}
}

// Of many epochs the first ones and the last ones are kept.
const (
	epochsFirst = 256
	epochsLast  = 4096
)

// epochs gathers epochs from the events of all ranks.
type epochs struct {
	by    map[uint64]*Epoch
	floor uint64 // of those that come after the first, lower ones have been given up
}

// note takes an event in.
func (a *epochs) note(e state.Event) {
	if e.Kind != "epoch" || e.Number > epochsFirst && e.Number < a.floor {
		return
	}
	epoch := a.by[e.Number]
	if epoch == nil {
		epoch = &Epoch{Number: e.Number, Name: e.Name, Site: e.Site, Begin: e.At}
		a.by[e.Number] = epoch
	}
	epoch.Begin = min(epoch.Begin, e.At)
	epoch.End = max(epoch.End, e.End)
	if len(a.by) > 2*(epochsFirst+epochsLast) {
		a.prune()
	}
}

func (a *epochs) prune() {
	numbers := slices.Sorted(maps.Keys(a.by))
	a.floor = numbers[len(numbers)-epochsLast]
	for _, n := range numbers[:len(numbers)-epochsLast] {
		if n > epochsFirst {
			delete(a.by, n)
		}
	}
}

// list is all epochs. The last call of each rank says which ones it has begun and ended: all ranks make the same calls
// in one order, and of events some may be lost.
func (a *epochs) list(ranks []*Rank) (all []Epoch) {
	var began, ended []uint64
	for _, r := range ranks {
		began = append(began, r.Call.Number)
		ended = append(ended, r.Call.Returned())
	}
	slices.Sort(began)
	slices.Sort(ended)
	for _, n := range slices.Sorted(maps.Keys(a.by)) {
		e := a.by[n]
		e.Began, e.Ended = atLeast(began, n), atLeast(ended, n)
		all = append(all, *e)
	}
	return all
}

// atLeast is how many of some sorted numbers are n or more.
func atLeast(sorted []uint64, n uint64) int {
	below, _ := slices.BinarySearch(sorted, n)
	return len(sorted) - below
}
