package appstest

import (
	"testing"

	"github.com/activepebbles/pebbles/route"
)

var (
	rankCounts = []int{1, 2, 3, 5, 8, 16}
	factors    = []int{1, 7, 1024}
	cacheSizes = []int{0, 64, 4096}
	topologies = []struct {
		name string
		make route.Constructor
	}{{"direct", route.Direct}, {"hypercube", route.Hypercube}, {"ring", Ring}}
)

// Matrix runs body once for every shape: {mem, tcp} × {direct, hypercube, ring} × coalescing factors {1, 7, 1024} × cache
// sizes {0, 64, 4096} × ranks {1, 2, 3, 5, 8, 16}, each as a subtest. That is 324 jobs, of a few milliseconds each when
// body's work is small.
func Matrix(t *testing.T, body func(t *testing.T, s Shape)) {
	for _, s := range Shapes() {
		t.Run(s.String(), func(t *testing.T) { body(t, s) })
	}
}

// Shapes lists what [Matrix] runs over.
func Shapes() []Shape {
	var all []Shape
	for _, transport := range []string{"mem", "tcp"} {
		for _, ranks := range rankCounts {
			for _, topology := range topologies {
				for _, factor := range factors {
					for _, cache := range cacheSizes {
						all = append(all, Shape{
							Ranks: ranks, Procs: procs(transport, ranks), Transport: transport,
							Topology: topology.name, New: topology.make, Coalesce: factor, Cache: cache,
						})
					}
				}
			}
		}
	}
	return all
}

// procs is how many processes a shape has: over tcp two or three, so that some ranks share one and others don't.
func procs(transport string, ranks int) int {
	switch {
	case transport == "mem":
		return 1
	case ranks < 5:
		return min(ranks, 2)
	default:
		return 3
	}
}
