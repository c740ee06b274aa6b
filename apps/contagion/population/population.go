// Package population contains the people and the locations of a contagion simulation, and the schedules of visits. A
// [Schedule] is read from files and kept in memory. A [Town] is made on the fly, from random numbers without memory. A
// [Grid] is a town as Loimos makes it. [Curve] spreads people and locations over ranks so that neighbours stay
// together.
package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
)

// Population is people, locations, and visits. Both are numbered from 0. It never changes, so all ranks of a process
// share one, and may call it at the same time.
type Population interface {
	// Name describes the population in a few words.
	Name() string
	People() int
	Locations() int
	// Days is the number of days after which the visits repeat.
	Days() int
	// Visits appends the visits of a person on a day of 0 to Days−1 to dst, in no order, and returns it.
	Visits(dst []Visit, person, day int) []Visit
	// Age returns the age of a person in years, below 0 if it is unknown.
	Age(person int) int
	// Home returns the location near which a person lives.
	Home(person int) int
	// Where returns the position of a location on a map; ok is false if it has none.
	Where(location int) (x, y float64, ok bool)
	// Crowd returns the largest number of persons in a location at one time, 0 if it is unknown.
	Crowd(location int) int
	// Kinds returns the kinds of locations, such as "school".
	Kinds() []string
	// Is reports whether a location is of a kind.
	Is(location int, kind string) bool
	// PersonID and LocationID return the ids of a person and of a location in files.
	PersonID(person int) int64
	LocationID(location int) int64
}

// Visit is one person's visit to a location. Persons meet at one place of a location, if their times overlap. Times are
// in seconds since midnight, with the arrival before the departure.
type Visit struct {
	Location, Place uint32
	Arrive, Depart  int32
}

// most is the limit of the numbers of people and of locations: pebbles number them by 32 bits.
const most = 1<<32 - 2

// The ages of the two groups of Camps.
const (
	AgeRisky = 21
	AgeSafe  = 65
)

// Camps returns people of two kinds whose visits never meet, for trying a simulation: all risky persons spend half of
// each day at one location, and each safe person spends it alone. The ages distinguish the kinds.
func Camps(risky, safe int) (*Schedule, error) {
	visits := make([]Planned, 0, risky+safe)
	for person := range risky + safe {
		location := max(0, person-risky+1)
		visits = append(visits, Planned{Person: uint32(person), Visit: Visit{
			Location: uint32(location), Arrive: scenario.Day / 4, Depart: scenario.Day * 3 / 4,
		}})
	}
	s, err := NewSchedule(fmt.Sprintf("%d risky people and %d safe ones", risky, safe), risky+safe, safe+1, 1, visits)
	if err != nil {
		return nil, err
	}
	for person := range risky + safe {
		age := int16(AgeRisky)
		if person >= risky {
			age = AgeSafe
		}
		s.ages = append(s.ages, age)
	}
	return s, nil
}

// Curve spreads people and locations over ranks along a Hilbert curve through the map. Points that are close on the
// curve are close on the map. Each rank gets locations of one region and the people who live there, the same number as
// any other rank. The tables take 12 bytes for each person and location, and some seconds for ten million people; the
// ranks of a process share them.
func Curve(p Population, ranks int) (people, locations distribution.Indexed, err error) {
	if _, _, ok := p.Where(0); !ok {
		return nil, nil, fmt.Errorf("population %s: its locations have no places on a map: spread them in blocks",
			p.Name())
	}
	along := curveOf(p)
	homes := make([]uint32, p.People())
	for person := range homes {
		homes[person] = along[p.Home(person)]
	}
	return cut(homes, ranks), cut(along, ranks), nil
}

const (
	curveBits = 16
	curveSide = 1 << curveBits
)

// curveOf returns the position of each location on the curve.
func curveOf(p Population) []uint32 {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for location := range p.Locations() {
		x, y, _ := p.Where(location)
		low, high = [2]float64{min(low[0], x), min(low[1], y)}, [2]float64{max(high[0], x), max(high[1], y)}
	}
	size := max(high[0]-low[0], high[1]-low[1], math.SmallestNonzeroFloat64)
	along := make([]uint32, p.Locations())
	for location := range along {
		x, y, _ := p.Where(location)
		along[location] = hilbert(uint32((x-low[0])/size*(curveSide-1)), uint32((y-low[1])/size*(curveSide-1)))
	}
	return along
}

// hilbert returns the position on the curve of a point of the square.
func hilbert(x, y uint32) (d uint32) {
	for side := uint32(curveSide / 2); side > 0; side /= 2 {
		var right, upper uint32
		if x&side != 0 {
			right = 1
		}
		if y&side != 0 {
			upper = 1
		}
		d += side * side * (3*right ^ upper)
		if upper == 0 { // the curve of this quarter is rotated
			if right == 1 {
				x, y = curveSide-1-x, curveSide-1-y
			}
			x, y = y, x
		}
	}
	return d
}

// cut gives each rank the same number of items, in the order of their positions on the curve.
func cut(along []uint32, ranks int) *distribution.TableMap {
	order := make([]uint32, len(along))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(along[a], along[b]), cmp.Compare(a, b)) })
	owners := make([]uint32, len(along))
	for place, thing := range order {
		owners[thing] = uint32(uint64(place) * uint64(ranks) / uint64(len(order)))
	}
	return distribution.Table(owners, ranks)
}
