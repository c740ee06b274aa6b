package main

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func Example() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 9, Topology: square}, func(r *pebble.Rank) error {
		return run(r, os.Stdout)
	})
	fmt.Println(err)
	// Output:
	// 81 pebbles handled, 36 passed through a hop
	// <nil>
}

func Example_check() {
	shape, err := route.Check(square(100))
	fmt.Println(shape.Diameter, shape.NeighborsMax, err)
	// Output:
	// 2 18 <nil>
}

func Example_unsound() {
	_, err := route.Check(adrift{grid{4, 2}})
	fmt.Println(err)
	// Output:
	// route: topology "grid": a pebble from rank 0 never arrives at rank 2: it is at rank 0 after 4 hops
}
