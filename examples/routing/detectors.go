package main

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

var ends = []string{"skr", "nbx", "pcx", "pcx-neighbors", "ordered", "auto"}

// detectors prints the largest number of messages of a rank at the end of an epoch.
func detectors(out io.Writer, j job) error {
	fmt.Fprintln(out, "depth  topology      skr   nbx   pcx  pcx-neighbors  ordered  auto")
	for depth := range 3 {
		for _, name := range names {
			t, err := j.topology(name)
			if err != nil {
				return err
			}
			s := termination.Site{Ranks: j.ranks, Depth: depth, Topology: t}
			s.Hops, _ = route.Hops(t)
			fmt.Fprintf(out, "%5s  %-11s", orNone(depth), name)
			for i, detector := range ends {
				width := []int{6, 6, 6, 15, 9, 6}[i]
				fmt.Fprintf(out, "%*s", width, messages(detector, s))
			}
			fmt.Fprintln(out)
			if depth == 0 {
				break // only skr works without a depth, and it does not depend on the topology
			}
		}
	}
	return nil
}

// messages returns the cost of a detector at a site, and an empty text if it does not work there.
func messages(detector string, s termination.Site) string {
	n, err := termination.Messages(detector, s)
	if err != nil {
		return "-"
	}
	return fmt.Sprint(n)
}
