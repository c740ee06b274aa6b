package main

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// topologies prints the cost of each topology: the buffers of a rank, and the hops and frames of the job.
func topologies(out io.Writer, j job) error {
	fmt.Fprintf(out, "%d ranks in %d processes, %d pebbles of %d bytes a buffer, %d credits\n",
		j.ranks, j.procs, j.coalesce, j.bytes, j.credits)
	fmt.Fprintln(out, "topology     neighbours  hops  mean  stages   KiB a rank  frames")
	for _, name := range names {
		t, err := j.topology(name)
		if err != nil {
			return err
		}
		s, err := route.Check(t)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-11s  %10d  %4d  %4.2f  %6s  %11.1f  %6s\n", name, s.NeighborsMax, s.Diameter, s.MeanHops,
			orNone(s.Stages), float64(j.memory(s.NeighborsMax))/1024, j.frames(s))
	}
	return nil
}

// memory returns the largest memory of the frames of one target on a rank, in bytes: for each neighbour one that fills,
// one that waits for credit, and those in flight.
func (j job) memory(neighbors int) int64 {
	return int64(neighbors) * int64(2+j.credits) * netio.FrameCost(j.coalesce*j.bytes)
}

// frames returns the number of frames of an all-to-all of one pebble each: one per link, if stages show when all
// pebbles of a link have arrived.
func (j job) frames(s route.Shape) string {
	if s.Stages == 0 {
		return "-"
	}
	return fmt.Sprint(s.Links)
}

func orNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
