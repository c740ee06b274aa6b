package record

import (
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

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

// note takes an event in. Again says that the rank has told of its begin before.
func (a *epochs) note(e state.Event, again bool) {
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
	if !again {
		epoch.Began++
	}
	if e.End != 0 {
		epoch.Ended++
	}
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

func (a *epochs) list() (all []Epoch) {
	for _, n := range slices.Sorted(maps.Keys(a.by)) {
		all = append(all, *a.by[n])
	}
	return all
}
