package main

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

var ends = []string{"skr", "nbx", "pcx", "pcx-neighbors", "ordered", "auto"}

// detectors writes how many messages the end of an epoch costs the rank that sends most of them.
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
				break // nothing but skr holds, and it does not look at the topology
			}
		}
	}
	return nil
}

// messages is what a detector costs at a site, and nothing where it does not hold.
func messages(detector string, s termination.Site) string {
	n, err := termination.Messages(detector, s)
	if err != nil {
		return "-"
	}
	return fmt.Sprint(n)
}
