package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/activepebbles/pebbles/route"
)

const (
	rate = 10e6             // pebbles that a rank sends per second
	due  = time.Millisecond // Config.Due
)

// filling prints the fill of buffers when they leave. A pebble that takes n hops enters n buffers. So if all ranks send
// alike, each rank puts rate times the mean hops, spread over its neighbours' buffers.
func filling(out io.Writer, j job) error {
	fmt.Fprintf(out, "%.0f million pebbles a second and rank, to random other ranks\n", rate/1e6)
	fmt.Fprintln(out, "topology     ms to fill a buffer  pebbles in it after 1 ms")
	for _, name := range names {
		t, err := j.topology(name)
		if err != nil {
			return err
		}
		s, err := route.Check(t)
		if err != nil {
			return err
		}
		each := rate * s.MeanHops * float64(j.ranks) / float64(s.Links) // mean pebbles per second into one buffer
		full := float64(j.coalesce) / each
		fmt.Fprintf(out, "%-11s  %19.2f  %24.0f\n", name, full*1e3, math.Min(float64(j.coalesce), each*due.Seconds()))
	}
	return nil
}
