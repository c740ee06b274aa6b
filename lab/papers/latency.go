package main

import (
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/pointerchase"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/pebble"
)

const chaseRounds = 2

// chasing is PointerChase (Active Pebbles, section 4.2, figure 3b), without coalescing. pcx cannot end chains of sends
// without limit.
func chasing(l *simulator, d *drawing) {
	d.axis, d.unit = "ranks", "microseconds a step"
	t := lab.NewTable("ranks", "direct: µs a step", "hypercube: µs a step", "hops of a step, hypercube")
	direct, routed := d.curve("direct"), d.curve("hypercube")
	chase := program{"PointerChase", func(r *pebble.Rank) (apps.Report, error) {
		result, err := pointerchase.Run(r, pointerchase.Config{Rounds: chaseRounds, Common: apps.Common{Seed: 1}})
		return result.Report, err
	}}
	for _, ranks := range l.upTo(ranksFirst, ranksMost) {
		cells, hops := []any{ranks}, 0.0
		for _, c := range []*curve{direct, routed} {
			o := l.run(odin(ranks, way{c.name, "skr"}, 0), chase)
			step := 1e6 * o.Seconds / float64(chaseRounds*ranks)
			c.add(float64(ranks), step)
			cells, hops = append(cells, step), float64(o.Counters.FramesSent)/float64(chaseRounds*ranks)
		}
		t.Row(append(cells, hops)...)
	}
	d.say("%d rounds of the ring, ended by skr.", chaseRounds)
	d.table(t)
	d.below(direct, routed, "ranks")
}

// The paper's runs of BFS (Active Pebbles, sections 4.4 and 5, figure 4b): 2^19 vertices on each processor of an
// Erdős-Rényi graph of unstated degree; by level, an epoch each; buffers of 4,096.
const edgeFactor = 8

// search is one search of a graph with a number of vertices per rank.
func search(log2, ranks int) program {
	scale := log2 + bits.Len(uint(ranks)) - 1
	g := must(graph.ErdosRenyi(scale, edgeFactor, 1))
	c := bfs.Config{Source: distgraph.Source{Generator: g, Undirected: true}, Mode: bfs.ByLevel, RootCount: 1,
		Common:     apps.Common{Seed: 1},
		Unfiltered: true}
	return program{fmt.Sprintf("BFS, 2^%d vertices a rank", log2), func(r *pebble.Rank) (apps.Report, error) {
		result, err := bfs.Run(r, c)
		return result.Report.Report, err
	}}
}

// searching is weak scaling of BFS: with few vertices, simulated exactly, and with many, where each simulated one
// stands for several.
func searching(l *simulator, d *drawing) {
	d.axis, d.unit = "ranks", "milliseconds"
	log2 := l.some(10, 7)
	few, many := fmt.Sprintf("2^%d", log2), fmt.Sprintf("2^%d", log2+log2Grain)
	t := lab.NewTable("ranks", "levels", few+", direct, pcx: ms", few+", hypercube, pcx", few+", hypercube, ordered",
		many+", direct, nbx: ms", many+", hypercube, nbx", many+", hypercube, ordered")
	drawn := make([]*curve, 6)
	for i := range drawn {
		w := ways[i%3]
		if i >= 3 {
			w.termination = coarse(world{termination: w.termination}, 1).termination
		}
		drawn[i] = d.curve(fmt.Sprintf("%s, %v", []string{few, many}[i/3], w))
	}
	for _, ranks := range l.upTo(ranksFirst, ranksMost) {
		cells, levels := []any{}, uint64(0)
		p := search(log2, ranks)
		for i, c := range drawn {
			w := ways[i%3]
			where := odin(ranks, w, paperFactor)
			if i >= 3 {
				where = coarse(where, grain)
			}
			o := l.run(where, p)
			levels = o.Counters.Epochs
			c.add(float64(ranks), 1e3*o.Seconds)
			cells = append(cells, 1e3*o.Seconds)
		}
		t.Row(append([]any{ranks, levels}, cells...)...)
	}
	d.say("One search. %s vertices a rank of degree %d are simulated as they are; %s so that each simulated pebble "+
		"stands for %d.",
		few, 2*edgeFactor, many, grain)
	d.table(t)
	for _, i := range []int{1, 2} {
		d.below(drawn[0], drawn[i], "ranks")
		d.below(drawn[3], drawn[3+i], "ranks")
	}
}
