package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// cell is one job that is measured and simulated.
type cell struct {
	app       string // with the flags that make its work
	transport string
	ranks     int

	measured, simulated []float64 // seconds of the kernel, by lap and by round
}

// applications are those that are compared with their simulations, with work for so many ranks: as many pebbles a rank for each, so that
// the shortest jobs take a tenth of a second. In less than half of that, one-time costs, such as new memory, are a large part.
func applications(small bool, ranks int) []string {
	words, items := 20, 1<<22
	if small {
		words, items = 10, 200
	}
	return []string{fmt.Sprint("randomaccess --log2-words ", words), fmt.Sprint("alltoall --rounds ", items/(ranks-1))}
}

// sizes are the jobs' ranks.
var sizes = []int{2, 4, 8}

func cellsOf(small bool) (all []*cell) {
	for i := range applications(small, sizes[0]) {
		for _, transport := range []string{"mem", "tcp"} {
			for _, ranks := range sizes {
				all = append(all, &cell{app: applications(small, ranks)[i], transport: transport, ranks: ranks})
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

// ratio is simulated over measured time, in the mean: where a machine is now slow and now fast, a median is one or the other.
func (c *cell) ratio() float64 { return mean(c.simulated) / mean(c.measured) }

// apart is how far the rounds' own ratios are from it, in the median.
func (c *cell) apart() float64 {
	var far []float64
	for i, s := range c.simulated {
		far = append(far, math.Abs(s/mean(c.measured[i*laps:][:laps])-c.ratio()))
	}
	return lab.Summarize(far).Median
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}
