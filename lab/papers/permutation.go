package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/permutation"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// The paper's runs of Permutation (Active Pebbles, sections 4.3 and 5, figure 4a): 2^22 elements of 8 bytes on each
// processor, buffers of 4,096 elements, one epoch, handlers of a depth of two.
const (
	paperElements = 22
	paperFactor   = 4096
	pebbleBytes   = 16 // an index and a place
)

func permute(log2 int) program {
	return program{fmt.Sprintf("Permutation, 2^%d elements a rank", log2), func(r *pebble.Rank) (apps.Report, error) {
		result, err := permutation.Run(r, permutation.Config{Log2Elements: log2, Common: apps.Common{Seed: 1}})
		return result.Report, err
	}}
}

// grain is the number of elements that a simulated one stands for if all would be too many, and its logarithm.
const (
	grain     = 16
	log2Grain = 4
)

// permuting is weak scaling with little work; with more work, where each simulated element stands for many; and with
// the paper's, by the model.
func permuting(l *simulator, d *drawing) {
	d.axis, d.unit = "ranks", "nanoseconds an element of a rank"
	log2 := l.some(12, 8)
	few, many := fmt.Sprintf("2^%d", log2), fmt.Sprintf("2^%d", log2+log2Grain)
	t := lab.NewTable("ranks", few+", direct: ns", few+", hypercube", many+", direct: ns", many+", hypercube",
		"2^22, direct: ns", "2^22, hypercube")
	drawn := make([]*curve, 6)
	for i, size := range []string{few, many, "2^22 (model)"} {
		drawn[2*i], drawn[2*i+1] = d.curve("direct, "+size), d.curve("hypercube, "+size)
	}
	for _, ranks := range l.upTo(ranksFirst, ranksMost) {
		cells := []any{ranks}
		for i, w := range []way{ways[0], ways[1], ways[0], ways[1]} {
			each, where := 1, odin(ranks, w, paperFactor)
			if i >= 2 {
				each, where = grain, coarse(where, grain)
			}
			o := l.run(where, permute(log2))
			ns := 1e9 * o.Seconds / float64(each<<log2)
			drawn[i].add(float64(ranks), ns)
			cells = append(cells, ns)
		}
		for i, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			ns := permuted(ranks, topology, 1<<paperElements)
			drawn[4+i].add(float64(ranks), ns)
			cells = append(cells, ns)
		}
		t.Row(cells...)
	}
	d.say("Nanoseconds for an element of a rank, ended by pcx. %s elements a rank and buffers of %s are simulated as "+
		"they are; %s so that each "+
		"simulated element stands for %d, and ended by nbx, which takes as many rounds; 2^%d are of the model.", few,
		lab.Grouped(paperFactor), many, grain, paperElements)
	d.table(t)
	for i := 0; i < len(drawn); i += 2 {
		d.below(drawn[i], drawn[i+1], "ranks")
	}
	const checked = 16 // ranks
	for _, w := range ways[:2] {
		off := coarseness(l, w, checked, log2)
		d.say("With each of the %s elements simulated, %d ranks take %s times as long (%s).", many, checked,
			lab.Digits(off), w)
	}
}

// coarseness returns the ratio of the simulated times with every element simulated and with elements that stand for
// many.
func coarseness(l *simulator, w way, ranks, log2 int) float64 {
	where := odin(ranks, w, paperFactor)
	fine := l.run(where, permute(log2+log2Grain))
	return fine.Seconds / l.run(coarse(where, grain), permute(log2)).Seconds
}

// permuted returns the time of an element of a rank by the model, in nanoseconds. Each element is a pebble twice.
func permuted(ranks int, topology route.Constructor, elements float64) float64 {
	p := must(model.Odin.Predict(model.Job{
		Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 4}, Topology: topology, Coalesce: paperFactor,
		Pebbles: 2 * elements, Bytes: pebbleBytes, Depth: 2, Detector: "pcx",
	}))
	return 1e9 * p.Overlapped / elements
}

// permutingBySize looks for the amount of work, on one number of ranks, at which direct sends become faster.
func permutingBySize(l *simulator, d *drawing) {
	d.axis, d.unit = "elements a rank", "nanoseconds an element of a rank"
	ranks := l.some(256, 16)
	t := lab.NewTable("elements a rank", "direct: ns", "hypercube", "hypercube, ordered", "elements for each rank")
	direct, routed, ordered := d.curve("direct, pcx"), d.curve("hypercube, pcx"), d.curve("hypercube, ordered")
	for log2 := 6; log2 <= l.some(14, 10); log2 += 2 {
		cells := []any{lab.Grouped(1 << log2)}
		for i, c := range []*curve{direct, routed, ordered} {
			o := l.run(odin(ranks, ways[i], paperFactor), permute(log2))
			ns := 1e9 * o.Seconds / float64(int(1)<<log2)
			c.add(float64(int(1)<<log2), ns)
			cells = append(cells, ns)
		}
		t.Row(append(cells, float64(int(1)<<log2)/float64(ranks))...)
	}
	d.say("%d ranks, buffers of %s elements.", ranks, lab.Grouped(paperFactor))
	d.table(t)
	d.below(routed, direct, "elements a rank")
	d.below(ordered, direct, "elements a rank")
}
