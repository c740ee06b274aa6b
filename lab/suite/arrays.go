package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

const nano = 1e9

var (
	access   = metric{"seconds_per_access", nano, "ns an access", true}
	accesses = metric{"accesses_per_second", millions, "M accesses/s", false}
)

// arrays are random accesses of distributed arrays next to plain loads: in caches and beyond, one after the other and
// in batches.
func (o Options) arrays() lab.Group {
	g := lab.Group{Name: "Arrays", Title: "Random accesses of distributed arrays beside plain loads",
		About: "Random words of a table of 8-byte words, read or written by two ranks at once, or by one. In a chain " +
			"the index of each read depends on what was read before. \"Of the other\" leaves out a rank's own words. " +
			"Gathers and scatters are of 1,024 words at a time, as bale's indexgather. No page faults are timed."}
	line := func(log2, accesses int, way, flags string) string {
		return fmt.Sprintf("access gather --log2-words %d --accesses %d --way %s %s", log2, o.times(accesses), way,
			flags)
	}
	const many, few = 1 << 22, 1 << 15
	near, far := 11, o.less(25)
	load := func(way string, log2 int) string { return fmt.Sprintf("%s, 2^%d words, 1 rank", way, log2) }
	for _, log2 := range []int{near, far} {
		for _, way := range []string{"load", "load-chain"} {
			g.Add(o.run(load(way, log2), access, line(log2, many, way, "--ranks 1"), ""))
		}
		for _, way := range []string{"get", "chain", "gather", "scatter"} {
			against := load("load", log2)
			if way == "chain" {
				against = load("load-chain", log2)
			}
			g.Add(o.run(fmt.Sprintf("%s, 2^%d words, 1 rank", way, log2), access, line(log2, many, way, "--ranks 1"),
				against))
		}
	}
	for _, p := range o.places(2) {
		if p.name == "tcp" {
			continue
		}
		for _, way := range []string{"get", "chain", "gather"} {
			against := load("load", far)
			if way == "chain" {
				against = load("load-chain", far)
			}
			g.Add(o.run(fmt.Sprintf("%s, 2^%d words a rank, of the other, %s", way, far, p.name), access,
				line(far, many, way, "--others "+p.flags), against))
		}
	}
	for _, p := range o.places(2) {
		for _, way := range []string{"gather", "scatter"} {
			g.Add(o.run(fmt.Sprintf("%s, 2^%d words a rank, 2 ranks, %s", way, far, p.name), accesses,
				line(far, many/4, way, p.flags),
				fmt.Sprintf("%s, 2^%d words a rank, 2 ranks, mem", way, far)))
		}
		if p.name != "mem" {
			gets := fmt.Sprintf("get, 2^%d words, of the other, %s", near, p.name)
			g.Add(o.run(gets, access, line(near, few, "get", "--others "+p.flags), ""))
			g.Add(o.run(fmt.Sprintf("gather, 2^%d words, of the other, %s", near, p.name), access,
				line(near, many/4, "gather", "--others "+p.flags), gets))
		}
	}
	return g
}

// attendance is reads from a rank that computes, answered by its process and by the rank itself.
func (o Options) attendance() lab.Group {
	g := lab.Group{Name: "Attendance", Title: "Reads of a rank that computes 20 ms at a time",
		About: "Single words of 8 bytes, read one after the other from a rank that computes 20 ms at a time, and " +
			"looks once for what has arrived in between: by gets, which its process serves, and by a pebble that it " +
			"answers by another one (XLUPC, section 4.6)."}
	median, p99 := metric{"median_seconds", micro, "µs, median", true},
		metric{"p99_seconds", micro, "µs, 99th percentile", true}
	for _, p := range o.places(2)[1:] {
		row := func(what, m string) string { return fmt.Sprintf("%s over %s, %s", what, name(p), m) }
		for _, m := range []struct {
			name string
			metric
		}{{"median", median}, {"99th percentile", p99}} {
			asks := row("a pebble and its answer", m.name)
			g.Add(o.run(asks, m.metric, fmt.Sprintf("access attend --asks --reads %d %s", o.times(64), p.flags), ""))
			g.Add(o.run(row("gets of 8 bytes", m.name), m.metric,
				fmt.Sprintf("access attend --reads %d %s", o.times(1000), p.flags), asks))
		}
	}
	return g
}
