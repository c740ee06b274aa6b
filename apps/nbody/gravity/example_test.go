package gravity_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Two particles attract each other, computed by a walk over their tree.
func ExampleWalk() {
	sources := []gravity.Source{{Pos: gravity.Vector{0, 0, 0}, Mass: 3}, {Pos: gravity.Vector{2, 0, 0}, Mass: 1}}
	cube := gravity.CubeOf(gravity.Around(sources[0].Pos).With(gravity.Around(sources[1].Pos)))
	g := gravity.Builder{Sources: sources, Most: 16}
	for _, s := range sources {
		g.Keys = append(g.Keys, cube.Key(s.Pos)) // ascending, as it happens
	}
	var root gravity.Cell
	g.Build(gravity.Root, &root)
	var w gravity.Walk
	by := gravity.Criterion{Theta: 0.7, Order: gravity.OrderMost}
	w.Begin(&root, by, &g.Buckets[0], sources, func(int) bool { return true })
	w.Go()
	for _, f := range w.Forces {
		fmt.Println(f.Acc[0], f.Phi)
	}
	// Output:
	// 0.25 -0.5
	// -0.75 -1.5
}
