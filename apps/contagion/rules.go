package contagion

import (
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
)

// rules are the data of a simulation that is the same on every rank.
type rules struct {
	Config
	ranks     int
	people    distribution.Indexed
	locations distribution.Indexed
	carries   []carry // bits of a visitor in each state
	outbreak  []uint32
	ofPersons []scenario.Intervention
	ofPlaces  []scenario.Intervention
	on        []bool // whether each intervention is active today; those of persons first
}

// carry is the relevant properties of visitors of a location, as bits.
type carry uint8

const (
	susceptible carry = 1 << iota
	infectious
	anybody // any visitor, if meetings are counted
)

func newRules(c Config, ranks int) *rules {
	w := &rules{Config: c, ranks: ranks, people: c.People, locations: c.Locations,
		on: make([]bool, len(c.Interventions))}
	if w.people == nil {
		w.people = distribution.Block(uint64(c.Population.People()), ranks)
	}
	if w.locations == nil {
		w.locations = distribution.Block(uint64(c.Population.Locations()), ranks)
	}
	for state := range c.Disease.States {
		var k carry
		if c.Disease.Susceptible(state) {
			k = susceptible
		} else if c.Disease.Infectious(state) {
			k = infectious
		}
		if c.Meetings {
			k |= anybody
		}
		w.carries = append(w.carries, k)
	}
	for _, i := range c.Interventions {
		if i.OfLocations() {
			w.ofPlaces = append(w.ofPlaces, i)
		} else {
			w.ofPersons = append(w.ofPersons, i)
		}
	}
	w.outbreak = w.seeds()
	return w
}

// isHot reports whether a location with such visitors has to be swept.
func (k carry) isHot() bool {
	return k&(susceptible|infectious) == susceptible|infectious || k&anybody != 0
}

// seeds returns the persons who are infected first, in the order of Loimos: the last ones on the first day.
func (w *rules) seeds() (all []uint32) {
	people := w.Population.People()
	n := min(max(w.PerDay, 0)*max(w.SeedDays, 0), people)
	var s chance.Source = new(chance.At(w.Seed, useSeeds, 0, 0))
	if w.Loimos {
		s = new(chance.Seeded(w.Seed))
	}
	known := map[uint32]bool{}
	for len(all) < n {
		person := uint32(s.Int(0, int64(people-1)))
		if !known[person] {
			known[person] = true
			all = append(all, person)
		}
	}
	return all
}

// seedsOf returns the persons of the outbreak on a day.
func (w *rules) seedsOf(day int) []uint32 {
	if w.PerDay <= 0 {
		return nil
	}
	last := max(0, len(w.outbreak)-day*w.PerDay)
	return w.outbreak[max(0, last-w.PerDay):last]
}

// isAsked reports whether an intervention depends on the number of infections.
func (w *rules) isAsked() bool {
	return slices.ContainsFunc(w.Interventions, func(i scenario.Intervention) bool { return i.Trigger.ByCases })
}

// begin sets the active interventions of a day, given the number of infections on the day before.
func (w *rules) begin(day int, infected uint64) {
	share := float64(infected) / float64(w.Population.People())
	for i, x := range slices.Concat(w.ofPersons, w.ofPlaces) {
		w.on[i] = x.Trigger.Next(w.on[i], day, share)
	}
}

// touch returns the probability of a contact between two persons who meet in a location.
func (w *rules) touch(location int) float64 {
	const least, most, alpha, half = 5, 40, 1000, 0.5 // of Loimos
	switch w.Contact {
	case Certain:
		return 1
	case MinMaxAlpha:
		crowd := float64(w.Population.Crowd(location))
		return math.Min(1, (least+(most-least)*(1-math.Exp(-crowd/alpha)))/(crowd-1))
	}
	return half
}

// engine returns Loimos's engine of a person at the start.
func (w *rules) engine(person int) chance.Standard {
	if grid, ok := w.Population.(*population.Grid); ok {
		return grid.Engine(person)
	}
	return chance.Seeded(w.Seed + uint64(w.Population.PersonID(person)))
}
