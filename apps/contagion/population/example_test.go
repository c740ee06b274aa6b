package population_test

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/apps/contagion/population"
)

// A town returns the same visits for each call.
func ExampleNewTown() {
	town, err := population.NewTown(population.TownConfig{People: 1_000_000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range town.Visits(nil, 123_456, 0) {
		fmt.Println(v.Location, v.Arrive, v.Depart)
	}
	// Output:
	// 30864 7276 37186
	// 30864 43489 44603
	// 30864 47386 57201
	// 30857 74492 85481
}

// A line of contacts is a visit of two persons to a place without other persons.
func ExampleReadContacts() {
	lines := "Time id1 id2 c1 c2\n31220 1558 1567 3B 3B\n31240 1558 1567 3B 3B\n"
	school, err := population.ReadContacts(strings.NewReader(lines), "school")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(school.People(), school.Visits(nil, 0, 0))
	// Output: 2 [{0 0 31200 31240}]
}
