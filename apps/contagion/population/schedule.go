package population

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// Schedule is a population in memory. It takes 16 bytes a visit, and some 20 a person and a location. Make it by
// Read, ReadContacts or NewSchedule.
type Schedule struct {
	name      string
	days      int
	people    []int64 // their ids
	ages      []int16 // empty if they are not known
	locations []int64
	crowds    []uint32 // empty if they are not known
	x, y      []float64
	kinds     map[string][]bool
	starts    []uint64 // where the visits of a person on a day begin; one more, the end
	visits    []Visit
}

// Planned is a visit of a schedule, of a person on a day.
type Planned struct {
	Person, Day uint32
	Visit
}

// NewSchedule makes a schedule of so many days. People and locations have their numbers for ids, no ages, kinds or
// places.
func NewSchedule(name string, people, locations, days int, visits []Planned) (*Schedule, error) {
	s := &Schedule{name: name, days: days, people: numbers(people), locations: numbers(locations)}
	return s, s.plan(visits)
}

func numbers(n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// plan takes visits, and orders them.
func (s *Schedule) plan(visits []Planned) error {
	if len(s.people) == 0 || len(s.locations) == 0 || s.days <= 0 {
		return fmt.Errorf("population %s: %d people, %d locations and %d days: give one of each at least", s.name,
			len(s.people),
			len(s.locations), s.days)
	}
	for _, v := range visits {
		switch {
		case int(v.Person) >= len(s.people):
			return fmt.Errorf("population %s: a visit by person %d: there are %d", s.name, v.Person, len(s.people))
		case int(v.Location) >= len(s.locations):
			return fmt.Errorf("population %s: a visit to location %d: there are %d", s.name, v.Location,
				len(s.locations))
		case int(v.Day) >= s.days:
			return fmt.Errorf("population %s: a visit on day %d: there are %d", s.name, v.Day, s.days)
		case v.Arrive < 0 || v.Depart <= v.Arrive || v.Depart > scenario.Day:
			return fmt.Errorf("population %s: a visit from second %d to second %d: it ends after it begins, on the same day",
				s.name, v.Arrive, v.Depart)
		}
	}
	place := func(v Planned) uint64 { return uint64(v.Person)*uint64(s.days) + uint64(v.Day) }
	slices.SortStableFunc(visits, func(a, b Planned) int { return cmp.Compare(place(a), place(b)) })
	s.visits, s.starts = make([]Visit, len(visits)), make([]uint64, len(s.people)*s.days+1)
	for i, v := range visits {
		s.visits[i] = v.Visit
		s.starts[place(v)+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	return nil
}

// Name implements Population.
func (s *Schedule) Name() string { return s.name }

// People implements Population.
func (s *Schedule) People() int { return len(s.people) }

// Locations implements Population.
func (s *Schedule) Locations() int { return len(s.locations) }

// Days implements Population.
func (s *Schedule) Days() int { return s.days }

// Visits implements Population.
func (s *Schedule) Visits(dst []Visit, person, day int) []Visit {
	at := person*s.days + day
	return append(dst, s.visits[s.starts[at]:s.starts[at+1]]...)
}

// Age implements Population.
func (s *Schedule) Age(person int) int {
	if len(s.ages) == 0 {
		return -1
	}
	return int(s.ages[person])
}

// Home implements Population: where the first visit goes.
func (s *Schedule) Home(person int) int {
	if at := s.starts[person*s.days]; at < s.starts[(person+1)*s.days] {
		return int(s.visits[at].Location)
	}
	return 0
}

// Where implements Population.
func (s *Schedule) Where(location int) (x, y float64, ok bool) {
	if len(s.x) == 0 {
		return 0, 0, false
	}
	return s.x[location], s.y[location], true
}

// Crowd implements Population.
func (s *Schedule) Crowd(location int) int {
	if len(s.crowds) == 0 {
		return 0
	}
	return int(s.crowds[location])
}

// Kinds implements Population.
func (s *Schedule) Kinds() (all []string) {
	for kind := range s.kinds {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// Is implements Population.
func (s *Schedule) Is(location int, kind string) bool {
	return len(s.kinds[kind]) > 0 && s.kinds[kind][location]
}

// PersonID implements Population.
func (s *Schedule) PersonID(person int) int64 { return s.people[person] }

// LocationID implements Population.
func (s *Schedule) LocationID(location int) int64 { return s.locations[location] }
