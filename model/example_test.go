package model_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// Predict an epoch of 256 ranks on the machine of the Active Pebbles paper, sent directly and routed.
func ExampleParameters_Predict() {
	machine := model.Odin
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		p, err := machine.Predict(model.Job{
			Ranks: 256, Topology: topology, Coalesce: 64, Pebbles: 1024, Bytes: 8, Detector: "skr",
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d hops at most, %d buffers a rank, %.0f frames\n", p.Topology, p.Hops, p.Buffers, p.Frames)
	}
	// Output:
	// direct: 1 hops at most, 255 buffers a rank, 64084 frames
	// hypercube: 8 hops at most, 8 buffers a rank, 17385 frames
}

// A survey counts the loads of a topology's links.
func ExampleSurvey() {
	s, err := model.Survey(route.Hypercube, 16, model.Layout{})
	fmt.Println(s.Hops, err)
	// Output:
	// 4 <nil>
}
