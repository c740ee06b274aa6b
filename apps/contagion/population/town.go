package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// Town is a population made on the fly. Nothing of it is stored, so millions of people take no memory and no time to
// make. The locations are a grid; persons with consecutive numbers share a home, which is one of the locations. The
// number of a person's visits on a day is a Poisson number. They follow each other, each to a location at a number of
// hops from home by Zipf's law, in any direction. A twentieth of the locations are schools.
type Town struct {
	TownConfig
	width, height int
	hops          zipf
	visits        chance.Poisson // of a person on a day
}

// TownConfig configures a Town. The zero value of a field means its default.
type TownConfig struct {
	People, Locations int     // 10,000, and a quarter of the people
	VisitsPerDay      float64 // of a person, in the mean: 5
	Zipf              float64 // exponent of the distances: 1.5
	Days              int     // until the visits repeat: 7
	Seed              uint64
}

// uses of random numbers.
const (
	useVisits = iota + 1
	useAge
	useKind
)

const (
	peopleDefault  = 10_000
	peoplePerPlace = 4
	visitsDefault  = 5
	zipfDefault    = 1.5
	daysDefault    = 7
	visitsMost     = 1000
)

// NewTown makes a town.
func NewTown(c TownConfig) (*Town, error) {
	c.People = cmp.Or(c.People, peopleDefault)
	c.Locations = cmp.Or(c.Locations, max(1, c.People/peoplePerPlace))
	c.VisitsPerDay = cmp.Or(c.VisitsPerDay, visitsDefault)
	c.Zipf = cmp.Or(c.Zipf, zipfDefault)
	c.Days = cmp.Or(c.Days, daysDefault)
	switch {
	case c.People < 1 || c.People > most || c.Locations < 1 || c.Locations > most:
		return nil, fmt.Errorf("%d people and %d locations: give 1 to %d of each", c.People, c.Locations, uint64(most))
	case !(c.VisitsPerDay > 0 && c.VisitsPerDay <= visitsMost):
		return nil, fmt.Errorf("%v visits a day: give a number above 0 and up to %d", c.VisitsPerDay, visitsMost)
	case !(c.Zipf > 0 && c.Zipf <= 100):
		return nil, fmt.Errorf("an exponent of %v of the distances: give a number above 0 and up to 100", c.Zipf)
	case c.Days < 1:
		return nil, fmt.Errorf("%d days of visits: give 1 or more", c.Days)
	}
	t := &Town{TownConfig: c, visits: chance.PoissonOf(c.VisitsPerDay)}
	t.width = int(math.Ceil(math.Sqrt(float64(c.Locations))))
	t.height = (c.Locations + t.width - 1) / t.width
	t.hops = newZipf(t.width+t.height-1, c.Zipf)
	return t, nil
}

// zipf draws numbers from 0 to n−1; number i has a probability proportional to (i+1)^−exponent.
type zipf struct {
	sums  []float64         // probability of a number of at most i
	first [zipfFirsts]int32 // by the first bits of a probability: the least possible number
}

const zipfFirsts = 1 << 11

func newZipf(n int, exponent float64) (z zipf) {
	z.sums = make([]float64, n)
	sum := 0.0
	for i := range z.sums {
		sum += math.Pow(float64(i+1), -exponent)
		z.sums[i] = sum
	}
	for i := range z.sums {
		z.sums[i] /= sum
	}
	for i := range z.first {
		least, _ := slices.BinarySearch(z.sums, float64(i)/zipfFirsts)
		z.first[i] = int32(least)
	}
	return z
}

// of returns the number for a uniform number in [0, 1).
func (z *zipf) of(chance float64) int {
	i := int(z.first[int(chance*zipfFirsts)])
	for z.sums[i] < chance {
		i++
	}
	return i
}

// Name implements Population.
func (t *Town) Name() string {
	return fmt.Sprintf("town of %d people and %d locations", t.TownConfig.People, t.TownConfig.Locations)
}

// People implements Population.
func (t *Town) People() int { return t.TownConfig.People }

// Locations implements Population.
func (t *Town) Locations() int { return t.TownConfig.Locations }

// Days implements Population.
func (t *Town) Days() int { return t.TownConfig.Days }

// Visits implements Population. It takes some 50 ns for each visit.
func (t *Town) Visits(dst []Visit, person, day int) []Visit {
	s := chance.At(t.Seed, useVisits, uint64(person), uint64(day))
	var room [64]int32
	n := 2 * t.visits.Draw(&s)
	times := slices.Grow(room[:0], n)[:n]
	s.Fill(times, 0, scenario.Day)
	order(times)
	home := t.Home(person)
	x, y := home%t.width, home/t.width
	for i := 0; i < len(times); i += 2 {
		if times[i] < times[i+1] {
			dst = append(dst, Visit{Location: uint32(t.near(x, y, &s)), Arrive: times[i], Depart: times[i+1]})
		}
	}
	return dst
}

// order sorts an even number of times. Most often they are few. Then it inserts two at a time into the sorted part,
// without branches, which a processor could not predict.
func order(times []int32) {
	const few = 32
	if len(times) > few {
		slices.Sort(times)
		return
	}
	for i := 0; i < len(times)-1; i += 2 {
		x, y := min(times[i], times[i+1]), max(times[i], times[i+1])
		for j, z := range times[:i] {
			times[j], z = min(x, z), max(x, z)
			x, y = min(y, z), max(y, z)
		}
		times[i], times[i+1] = x, y
	}
}

// near draws a location near another one: at a number of hops, anywhere on the diamond of this distance. Locations
// beyond the border of the town are mirrored there.
func (t *Town) near(x, y int, s *chance.Counter) int {
	if hops := t.hops.of(s.Float64()); hops > 0 {
		along := int(s.Int(int64(-hops), int64(hops)))
		across := hops - max(along, -along)
		back := int(s.Next() >> 63)      // 1 as often as 0
		across = (across ^ -back) + back // −across if 1, without a branch that can't be predicted
		x, y = mirror(x+along, t.width), mirror(y+across, t.height)
	}
	return min(x+t.width*y, t.TownConfig.Locations-1)
}

// mirror maps a position into [0, n), as mirrors at both ends would.
func mirror(at, n int) int {
	if uint(at) < uint(n) {
		return at
	}
	if n == 1 {
		return 0
	}
	at = max(at, -at) % (2 * (n - 1))
	return min(at, 2*(n-1)-at)
}

// Age implements Population: 0 to 99, uniformly.
func (t *Town) Age(person int) int {
	s := chance.At(t.Seed, useAge, uint64(person), 0)
	return int(s.Int(0, 99))
}

// Home implements Population.
func (t *Town) Home(person int) int {
	return int(uint64(person) * uint64(t.TownConfig.Locations) / uint64(t.TownConfig.People))
}

// Where implements Population.
func (t *Town) Where(location int) (x, y float64, ok bool) {
	return float64(location % t.width), float64(location / t.width), true
}

// Crowd implements Population: it is unknown.
func (t *Town) Crowd(int) int { return 0 }

// Kinds implements Population.
func (t *Town) Kinds() []string { return []string{school} }

const (
	school     = "school"
	schoolEach = 20
)

// Is implements Population.
func (t *Town) Is(location int, kind string) bool {
	s := chance.At(t.Seed, useKind, uint64(location), 0)
	return kind == school && s.Int(1, schoolEach) == 1
}

// PersonID implements Population.
func (t *Town) PersonID(person int) int64 { return int64(person) }

// LocationID implements Population.
func (t *Town) LocationID(location int) int64 { return int64(location) }

// Schedule is a population in memory. It takes 16 bytes for each visit, and some 20 for each person and location. Make
// it by Read, ReadContacts or NewSchedule.
type Schedule struct {
	name      string
	days      int
	people    []int64 // their ids
	ages      []int16 // empty if they are unknown
	locations []int64
	crowds    []uint32 // empty if they are unknown
	x, y      []float64
	kinds     map[string][]bool
	starts    []uint64 // beginning of the visits of a person on a day; the last element is the end
	visits    []Visit
}

// Planned is a visit of a schedule, of a person on a day.
type Planned struct {
	Person, Day uint32
	Visit
}

// NewSchedule returns a schedule of a number of days. The ids of people and locations are their numbers; they have no
// ages, kinds or positions.
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

// plan checks visits, and stores them in order.
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

// Home implements Population: the location of the first visit.
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
