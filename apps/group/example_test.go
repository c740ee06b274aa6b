package group_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/group"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks compute the mean fare of each city.
func Example() {
	folder, err := os.MkdirTemp("", "trips")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	trips, cities := filepath.Join(folder, "trips.csv"), filepath.Join(folder, "cities.csv")
	if err := os.WriteFile(trips, []byte("city,fare\nKöln,4\nBonn,2.5\nKöln,\nBonn,3\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		_, err := group.Run(r, group.Config{
			Common: apps.Common{Output: apps.Output{Path: cities}}, Input: apps.Input{Files: []string{trips}},
			By: []string{"city"}, Aggregates: []group.Aggregate{{Function: group.Count}, {Function: group.Mean, Column: "fare"}},
		})
		return err
	})
	fmt.Println(err)
	text, err := os.ReadFile(cities)
	fmt.Print(string(text), err)
	// Output:
	// <nil>
	// city,count,mean_fare
	// Bonn,2,2.75
	// Köln,2,4
	// <nil>
}
