package contagion

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/pebble"
)

// large returns a simulation that takes a second.
func large(b *testing.B) Config {
	c := little(b, 1)
	c.Population, c.Days, c.List = town(b, population.TownConfig{People: 100_000, Seed: 1}), 10, false
	return c
}

func BenchmarkContagion(b *testing.B) {
	b.Run("serial", func(b *testing.B) {
		visits := uint64(0)
		for b.Loop() {
			got := appstest.Must(Serial(large(b)))
			visits += got.Visits
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
	c := large(b)
	appstest.Rates(b, []int{1, 2}, func(r *pebble.Rank) (uint64, float64, uint64, error) {
		got, err := Run(r, c)
		return got.Visits, got.Seconds, got.Errors, err
	})
}

// A sweep of a location's visits.
func BenchmarkSweep(b *testing.B) {
	c := little(b, 1).withDefaults()
	c.Contact = Constant
	for _, n := range []int{20, 200} {
		b.Run(fmt.Sprintf("visits=%d", n), func(b *testing.B) {
			s := sweeper{rules: newRules(c, 1), out: func(exposure) {}}
			p := town(b, population.TownConfig{People: n, Locations: 1, VisitsPerDay: 1, Seed: 1})
			for person := range n {
				for _, v := range p.Visits(nil, person, 0) {
					s.visits = append(s.visits, visit{
						Person: uint32(person), Arrive: v.Arrive, Depart: v.Depart, State: uint32(2 * min(person%20,
							1)), Modifier: 1,
					})
				}
			}
			for b.Loop() {
				s.sweep(7, 3, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.visits)), "ns/visit")
		})
	}
}

// A plain loop over people and visits, without exposures, for comparison with the twin's days without an outbreak.
func BenchmarkPlain(b *testing.B) {
	c := large(b)
	c.PerDay = -1
	type stay struct {
		location, person uint32
		arrive, depart   int32
	}
	people, locations := c.Population.People(), c.Population.Locations()
	b.Run("loop", func(b *testing.B) {
		visits := 0
		for b.Loop() {
			states, brings := make([]uint8, people), make([]uint8, locations)
			var stays []stay
			var itinerary []population.Visit
			for day := range c.Days {
				stays = stays[:0]
				clear(brings)
				for person := range people {
					itinerary = c.Population.Visits(itinerary[:0], person, day%c.Population.Days())
					for _, v := range itinerary {
						brings[v.Location] |= 1 << states[person]
						stays = append(stays, stay{v.Location, uint32(person), v.Arrive, v.Depart})
					}
				}
				visits += len(stays)
				hot := 0
				for _, s := range stays {
					if brings[s.location] > 1 {
						hot++
					}
				}
				require.Zero(b, hot)
			}
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
	b.Run("twin", func(b *testing.B) {
		visits := uint64(0)
		for b.Loop() {
			got := appstest.Must(Serial(c))
			visits += got.Visits
		}
		b.ReportMetric(float64(visits)/b.Elapsed().Seconds()/1e6, "Mvisits/s")
	})
}
