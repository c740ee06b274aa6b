package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/route"
)

func Example_check() {
	shape, err := route.Check(square(100))
	fmt.Println(shape.Diameter, shape.NeighborsMax, err)
	// Output: 2 18 <nil>
}

func Example_unsound() {
	_, err := route.Check(adrift{grid{4, 2}})
	fmt.Println(err)
	// Output:
	// route: topology "grid": a pebble from rank 0 never arrives at rank 2: it is at rank 0 after 4 hops
}
