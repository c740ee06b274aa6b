package contagion

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// counts are the counts of a part over all days.
type counts struct {
	sent, got exposed // sums of exposures, at both ends
	made      uint64  // number of visits
	stayed    uint64  // of these, at this part's own locations
	refused   uint64  // by closed locations
	newly     uint64  // persons infected today
}

func (c counts) plus(o counts) counts {
	return counts{
		c.sent.plus(o.sent), c.got.plus(o.got), c.made + o.made, c.stayed + o.stayed, c.refused + o.refused,
		c.newly + o.newly,
	}
}

func (e exposed) plus(o exposed) exposed {
	return exposed{e.Count + o.Count, e.Propensity + o.Propensity}
}

// restore continues from the newest checkpoint, if there is one.
func (b *bench) restore() error {
	if !apps.Saves(b.rank) {
		return nil
	}
	p, c := b.part, b.config
	states := len(c.Disease.States)
	_, err := b.steps.Restore(b.rank, "contagion", c.Seed,
		checkpoint.Argument("population", c.Population.Name()), checkpoint.Argument("visits", hashOf(visits(c.Population))),
		checkpoint.Argument("disease", hashOf(*c.Disease)), checkpoint.Argument("interventions", hashOf(c.Interventions)),
		checkpoint.Argument("infected a day", c.PerDay), checkpoint.Argument("days of infections", c.SeedDays),
		checkpoint.Argument("loimos", c.Loimos), checkpoint.Argument("contact", c.Contact),
		checkpoint.Argument("meetings", c.Meetings),
		checkpoint.Value("on", &p.on), checkpoint.Slice("people", p.rules.people, &p.people),
		checkpoint.Slice("places", p.locations, &p.places), checkpoint.PerRank("counts", &p.counts, counts.plus),
		checkpoint.PerRank("contacts", &p.sweeper.contacts, pebble.Sum), checkpoint.PerRank("pairs", &p.sweeper.meetings,
			pebble.Sum),
		checkpoint.PerRank("curve", &p.curve, addCurves), checkpoint.PerRank("infections", &p.infections, joinInfections))
	for len(p.curve) < b.steps.Done() { // on additional ranks
		p.curve = append(p.curve, make([]uint64, states))
	}
	if err == nil {
		err = b.steps.Within(c.Days, "days")
	}
	return err
}

// hashOf returns a hash of plain data.
func hashOf(v any) string {
	return fmt.Sprintf("%016x", distribution.HashString(fmt.Sprintf("%+v", v)))
}

// visits returns the visits of some persons, by which populations of one name are told apart.
func visits(of population.Population) (all []population.Visit) {
	const persons = 1000
	for person := 0; person < of.People(); person += of.People()/persons + 1 {
		all = of.Visits(all, person, 0)
	}
	return all
}

// addCurves adds up the counts of two ranks for each day.
func addCurves(a, b [][]uint64) [][]uint64 {
	for day, counts := range b {
		for state, n := range counts {
			a[day][state] += n
		}
	}
	return a
}

func joinInfections(a, b []Infection) []Infection { return append(a, b...) }
