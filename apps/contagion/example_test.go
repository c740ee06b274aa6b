package contagion_test

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/pebble"
)

// Four ranks simulate twenty days of a small town.
func ExampleRun() {
	town, err := population.NewTown(population.TownConfig{People: 2000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	config := contagion.Config{Disease: scenario.Example(), Population: town, Days: 20, Common: apps.Common{Seed: 1}}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		result, err := contagion.Run(r, config)
		if r.ID() == 0 && err == nil {
			fmt.Println(result.Visits, result.Exposures, result.Infected, result.Errors)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 199278 4988 368 0
	// <nil>
}
