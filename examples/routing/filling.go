package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/activepebbles/pebbles/route"
)

const (
	rate = 10e6             // pebbles a second that a rank sends
	due  = time.Millisecond // Config.Due
)

// filling writes how full buffers are when they leave. A pebble that takes n hops is put into n buffers, so that in a
// job whose ranks all send alike each rank puts rate times the mean hops, over as many buffers as it has neighbours.
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
		each := rate * s.MeanHops * float64(j.ranks) / float64(s.Links) // pebbles a second into one buffer, in the mean
		full := float64(j.coalesce) / each
		fmt.Fprintf(out, "%-11s  %19.2f  %24.0f\n", name, full*1e3, math.Min(float64(j.coalesce), each*due.Seconds()))
	}
	return nil
}
