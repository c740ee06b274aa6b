package population

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// The ages of the two camps of Camps.
const (
	AgeRisky = 21
	AgeSafe  = 65
)

// Camps are people of two kinds whose visits never meet, to try a simulation with: all who are risky spend half of
// each day at one location, and each who is safe spends it alone. The ages tell them apart.
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
