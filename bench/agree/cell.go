package main

import (
	"fmt"
	"slices"
	"strings"
)

// cell is one job that is measured and simulated.
type cell struct {
	app       string // with the flags that make its work
	transport string
	ranks     int

	measured, simulated []float64 // seconds of the kernel, by round
}

// applications are those that are held against their simulations.
func applications(small bool) []string {
	if small {
		return []string{"randomaccess --log2-words 10", "alltoall --rounds 200"}
	}
	return []string{"randomaccess --log2-words 20", "alltoall"}
}

// sizes are the jobs' ranks.
var sizes = []int{2, 4, 8}

func cellsOf(small bool) (all []*cell) {
	for _, app := range applications(small) {
		for _, transport := range []string{"mem", "tcp"} {
			for _, ranks := range sizes {
				all = append(all, &cell{app: app, transport: transport, ranks: ranks})
			}
		}
	}
	return all
}

// args are those of the application's command: over TCP each rank is a process.
func (c *cell) args() []string {
	args := append(strings.Fields(c.app), fmt.Sprint("--ranks=", c.ranks))
	if c.transport != "mem" {
		args = append(args, fmt.Sprint("--procs=", c.ranks), "--transport="+c.transport)
	}
	return args
}

// ratios are simulated over measured time, by round.
func (c *cell) ratios() (all []float64) {
	for i := range c.measured {
		all = append(all, c.simulated[i]/c.measured[i])
	}
	return all
}

// median is the middle of values, and the median distance to it.
func median(values []float64) (middle, spread float64) {
	middle = center(values)
	var far []float64
	for _, v := range values {
		far = append(far, max(v-middle, middle-v))
	}
	return middle, center(far)
}

func center(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
