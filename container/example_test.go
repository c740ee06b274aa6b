package container_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Count the words of a text that each rank has.
func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		counts := container.NewCounter[string](r, "counts")
		if err := r.Epoch(func() error {
			for word := range strings.FieldsSeq("a rose is a rose is a rose") {
				counts.Add(word, 1)
			}
			return nil
		}); err != nil {
			return err
		}
		top, err := counts.Top(2)
		if r.ID() == 0 {
			fmt.Println(top)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// [{a 12} {rose 12}]
	// <nil>
}

// Every rank writes and reads a map.
func ExampleMap() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := task.New(r)
		ages := container.NewMap[string, uint64](r, "ages")
		reads := container.NewReads(ages, s)
		birthday := container.NewFinder(ages, "birthday", func(_ string, age *uint64, years uint64) { *age += years })

		if err := r.Epoch(func() error {
			ages.Put(fmt.Sprint("rank ", r.ID()), uint64(40+r.ID()))
			return nil
		}); err != nil {
			return err
		}
		if err := r.Epoch(func() error {
			birthday.Send("rank 2", 10) // on each rank
			birthday.Send("nobody", 10)
			return nil
		}); err != nil {
			return err
		}
		return s.Run(func() {
			if age, ok := reads.Get("rank 2"); r.ID() == 0 {
				fmt.Println(age, ok, reads.Contains("nobody"))
			}
		})
	})
	fmt.Println(err)
	// Output:
	// 72 true false
	// <nil>
}

// Join, group and sort rows.
func ExampleTable() {
	type sale struct {
		Shop  string
		Pence int
	}
	type shop struct{ Name, City string }
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		sales := container.NewTable[sale](r, "sales", container.Budget{})
		shops := container.NewTable[shop](r, "shops", container.Budget{})
		sales.Add(sale{"corner", 120})
		sales.Add(sale{[]string{"market", "corner"}[r.ID()], 80})
		if r.ID() == 0 {
			shops.Add(shop{"corner", "Leeds"})
			shops.Add(shop{"market", "York"})
		}

		inCity := container.NewTable[sale](r, "sales in cities", container.Budget{})
		if err := container.Join(sales, shops, func(s sale) string { return s.Shop }, func(s shop) string { return s.Name },
			container.Inner, func(s sale, in *shop) { inCity.Add(sale{in.City, s.Pence}) }); err != nil {
			return err
		}
		sums, err := container.GroupBy(inCity, func(s sale) string { return s.Shop }, func(s sale) int { return s.Pence },
			pebble.Sum)
		if err != nil {
			return err
		}
		if err := container.SortBy(sums, func(e container.Entry[string, int]) string { return e.Key }); err != nil {
			return err
		}
		all, err := sums.Gather(0)
		for _, e := range all {
			fmt.Println(e.Key, e.Value)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// Leeds 320
	// York 80
	// <nil>
}
