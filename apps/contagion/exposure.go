package contagion

import (
	"cmp"
	"math"

	"github.com/activepebbles/pebbles/apps"
)

// exposure is the pebble from a location to a susceptible person who touched an infectious one there. Exposures of
// one person on one day merge: they add up, and the one whose race was the shortest says who has infected, if
// somebody has.
type exposure struct {
	Propensity uint64  // in units of 1/one
	Race       float64 // a waiting time
	Person     uint32
	Count      uint32 // so many have merged
	By         uint32 // the infectious person
	Location   uint32
	Start      int32 // when they met, in seconds since midnight
	Day        uint32
}

// one is a propensity of 1 as a whole number. Sums of whole numbers are the same in any order.
const one = 1 << 48

// most is the propensity that one exposure has at most: nobody escapes it.
const most = 64

// whole is a propensity as a whole number.
func whole(propensity float64) uint64 { return uint64(min(propensity, most) * one) }

// add adds up propensities. What is too much for 64 bits stays the most that they hold, in any order.
func add(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}

// merge is two exposures of a person as one.
func merge(a, b exposure) exposure {
	if cmp.Or(cmp.Compare(b.Race, a.Race), cmp.Compare(b.By, a.By), cmp.Compare(b.Location, a.Location),
		cmp.Compare(b.Start, a.Start)) < 0 {
		a.Race, a.By, a.Location, a.Start = b.Race, b.By, b.Location, b.Start
	}
	a.Propensity = add(a.Propensity, b.Propensity)
	a.Count += b.Count
	return a
}

func (x *exposure) fingerprint() uint64 {
	return apps.Fold(uint64(x.Person)<<32|uint64(x.By),
		x.Propensity^uint64(x.Location)<<20^uint64(uint32(x.Start))^uint64(x.Day)<<56^
			uint64(x.Count)<<50)
}

func personsOf(xs []exposure, keys []uint64) {
	for i := range xs {
		keys[i] = uint64(xs[i].Person)
	}
}

// Infection says who was infected. Nobody and nowhere are numbers below 0: the outbreak itself.
type Infection struct {
	Day      int32 `json:"day"`
	Person   int64 `json:"person"`   // as the population's file calls the person
	By       int64 `json:"by"`       // who was infectious
	Location int64 `json:"location"` // where they met
	Start    int32 `json:"start"`    // when, in seconds since midnight
}

func (i Infection) fingerprint() uint64 {
	return apps.Fold(uint64(i.Person)<<20^uint64(i.Day),
		uint64(i.By)<<32^uint64(i.Location)<<20^uint64(uint32(i.Start)))
}
