// Command ten uses ten containers of ten types a little. It serves to measure the compile time of such a program.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

type place struct {
	Name string
	X, Y float64
}

type trip struct {
	From, To uint32
	Fare     float64
}

func main() {
	if err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func program(r *pebble.Rank) error {
	s := task.New(r)
	ages := container.NewMap[string, int](r, "ages")
	places := container.NewMap[uint32, place](r, "places")
	totals := container.NewMap[uint32, float64](r, "totals")
	words := container.NewCounter[string](r, "words")
	degrees := container.NewCounter[uint64](r, "degrees")
	seen := container.NewSet[[2]uint32](r, "seen")
	names := container.NewMultiMap[string, uint32](r, "names")
	parts := container.NewDisjointSets[uint64](r, "parts", nil)
	bag := container.NewBag[place](r, "bag")
	trips := container.NewTable[trip](r, "trips", container.Budget{})
	fares := totals.NewReducer("fares", pebble.Sum)
	older := container.NewVisitor(ages, "older", func(_ string, age *int, years int) { *age += years })
	reads := container.NewReads(places, s)
	for i := range 100 {
		trips.Add(trip{uint32(i % 7), uint32(i % 5), float64(i)})
	}
	if err := r.Epoch(func() error {
		for t := range trips.LocalAll() {
			name := fmt.Sprint("place ", t.From)
			ages.Put(name, int(t.From))
			places.Put(t.From, place{name, 1, 2})
			words.Add(name, 1)
			degrees.Add(uint64(t.To), 1)
			seen.Insert([2]uint32{t.From, t.To})
			names.Add(name, t.From)
			parts.Union(uint64(t.From), uint64(t.To))
			fares.Reduce(t.From, t.Fare)
			older.Send(name, 1)
			bag.Add(place{name, 3, 4})
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.Run(func() {
		if p, ok := reads.Get(3); !ok || p.Name != "place 3" {
			panic(p)
		}
	}); err != nil {
		return err
	}
	top, err := words.Top(2)
	sets, err2 := parts.Sets()
	err3 := trips.SortFunc(func(a, b trip) int { return cmp.Compare(a.Fare, b.Fare) })
	if r.ID() == 0 {
		fmt.Println(top, sets)
	}
	return errors.Join(err, err2, err3, bag.Balance())
}
