package netio_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio"
)

// Ten ranks run in three processes. The first process has one more rank.
func ExampleSpread() {
	for process := range 3 {
		first, last := netio.Spread(10, 3, process)
		fmt.Println(process, first, last)
	}
	// Output:
	// 0 0 4
	// 1 4 7
	// 2 7 10
}
