package chance_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
)

// Numbers depend on their use: here on a seed, a use, a person and a day.
func ExampleAt() {
	s := chance.At(1, 2, 3, 4)
	again := chance.At(1, 2, 3, 4)
	fmt.Println(s.Int(1, 6) == again.Int(1, 6), s.Poisson(5) == again.Poisson(5))
	// Output: true true
}

// The engine is that of the C++ standard.
func ExampleSeeded() {
	s := chance.Seeded(1)
	fmt.Println(s.Next(), s.Next(), s.Int(0, 86400))
	// Output: 16807 282475249 65287
}
