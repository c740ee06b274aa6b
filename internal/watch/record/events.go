package record

import (
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
