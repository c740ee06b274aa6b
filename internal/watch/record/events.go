package record

import (
	"cmp"
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// openMost bounds the unfinished events of a rank. The latest are kept.
const openMost = 16

// ringFull is the number of events that a rank keeps.
const ringFull = 256

// eventKey identifies an event of a rank.
type eventKey struct {
	at     float64
	kind   string
	number uint64
	team   string
}

func keyOf(e state.Event) eventKey { return eventKey{e.At, e.Kind, e.Number, e.Team} }

// eventsSeen tracks the events of a rank that are in the record.
type eventsSeen struct {
	some bool
	last eventKey
	open []eventKey // unfinished
}

// news returns the events that began or ended since the last call. Overrun reports that others were dropped meanwhile.
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

// eventsMost bounds the events of a line.
const eventsMost = 16

// choose returns the latest events that fit into a line, in their order. The numerous waits have the lowest priority.
func choose(fresh []state.Event) []state.Event {
	if len(fresh) <= eventsMost {
		return fresh
	}
	isWait := func(e state.Event) bool { return e.Kind == "wait" }
	others := slices.DeleteFunc(slices.Clone(fresh), isWait)
	waits := max(eventsMost-len(others), 0)
	skip := len(fresh) - len(others) - waits
	others = others[:0]
	for _, e := range fresh {
		if isWait(e) && skip > 0 {
			skip--
			continue
		}
		others = append(others, e)
	}
	return others[max(0, len(others)-eventsMost):]
}

// Bounds of kept epochs: the first ones and the last ones.
const (
	epochsFirst = 256
	epochsLast  = 4096
)

// epochKey identifies an epoch: its team, and its number there.
type epochKey struct {
	team   string
	number uint64
}

// epochs gathers epochs from the events of all ranks.
type epochs struct {
	by    map[epochKey]*Epoch
	floor uint64 // epochs below it are dropped, except the first ones
}

// note handles an event.
func (a *epochs) note(e state.Event) {
	if e.Kind != "epoch" || e.Number > epochsFirst && e.Number < a.floor {
		return
	}
	key := epochKey{e.Team, e.Number}
	epoch := a.by[key]
	if epoch == nil {
		epoch = &Epoch{Number: e.Number, Name: e.Name, Site: e.Site, Team: e.Team, Begin: e.At}
		a.by[key] = epoch
	}
	epoch.Begin = min(epoch.Begin, e.At)
	epoch.End = max(epoch.End, e.End)
	if len(a.by) > 2*(epochsFirst+epochsLast) {
		a.prune()
	}
}

func (a *epochs) prune() {
	keys := a.sorted()
	a.floor = keys[len(keys)-epochsLast].number
	for _, key := range keys[:len(keys)-epochsLast] {
		if key.number > epochsFirst {
			delete(a.by, key)
		}
	}
}

// sorted returns the keys of all epochs, by number.
func (a *epochs) sorted() []epochKey {
	return slices.SortedFunc(maps.Keys(a.by), func(a, b epochKey) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.team, b.team))
	})
}

// list returns all epochs. The last call of each rank determines the epochs that it has begun and ended, since all
// ranks of a team make the same calls in one order, while events may be lost. A rank whose last call is of another team
// is past those of this one, and is not counted.
func (a *epochs) list(ranks []*Rank) (all []Epoch) {
	began, ended := map[string][]uint64{}, map[string][]uint64{}
	for _, r := range ranks {
		team := r.Call.Team
		began[team] = append(began[team], r.Call.Number)
		ended[team] = append(ended[team], r.Call.Returned())
	}
	for team := range began {
		slices.Sort(began[team])
		slices.Sort(ended[team])
	}
	for _, key := range a.sorted() {
		e := a.by[key]
		e.Began, e.Ended = atLeast(began[key.team], key.number), atLeast(ended[key.team], key.number)
		all = append(all, *e)
	}
	if slices.ContainsFunc(all, func(e Epoch) bool { return e.Team != "" }) {
		slices.SortStableFunc(all, func(a, b Epoch) int { return cmp.Compare(a.Begin, b.Begin) })
	}
	return all
}

// atLeast returns the number of elements of a sorted slice that are n or more.
func atLeast(sorted []uint64, n uint64) int {
	below, _ := slices.BinarySearch(sorted, n)
	return len(sorted) - below
}
