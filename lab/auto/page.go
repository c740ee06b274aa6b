package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

// section is the part of the page.
func section(o options, rows []row) string {
	var b strings.Builder
	b.WriteString("# Jobs that tune themselves\n\n")
	fmt.Fprintf(&b, "Measured by `make -C lab auto` on %s, %s: %d ranks, medians of %d to %d runs: as many as make ratios certain to %.2f.\n\n",
		time.Now().UTC().Format("2 January 2006"), lab.ThisMachine(), ranks, o.repeats, o.most, enough)
	b.WriteString("The best setting is that of a full sweep over topologies, factors and caches, three runs each, measured again beside the others.\n" +
		"1 is as fast as it, and after \"±\" stands within how much the median is for 95 %. All of these are whole runs, experiments included. Fresh is auto after `pebbles fit`, tuned is auto after `pebbles tune`.\n\n")
	b.WriteString("| application | transport | best setting | time | runs | defaults | auto, fresh | ended with | auto, tuned | ended with |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %v | %.0f ms | %d | %v | %v | %s | %v | %s |\n", r.application, r.transport, r.best,
			1000*r.seconds.Median, r.runs, r.defaults, r.fresh, r.chose, r.tuned, r.knows)
	}
	return b.String()
}
