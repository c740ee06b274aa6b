package termination_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// The detector of a job of 64 ranks depends on the properties of its epochs.
func ExampleAuto() {
	for _, depth := range []int{0, 1, 8} {
		site := termination.Site{Ranks: 64, Depth: depth, Hops: 6, Topology: route.Hypercube(64)}
		d, err := termination.Auto(site)
		if err != nil {
			fmt.Println(err)
			return
		}
		messages, err := termination.Messages(d.Name(), site)
		fmt.Println(depth, d.Name(), messages, err)
	}
	// Output:
	// 0 skr 12 <nil>
	// 1 ordered 6 <nil>
	// 8 skr 12 <nil>
}
