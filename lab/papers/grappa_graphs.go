package main

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/pebble"
)

// The runs of BFS and centrality in Grappa's paper (sections 7.2 and 8.1, figures 8 and 9): one Kronecker graph of 2^25
// vertices and 2^29 edges on 1 to 16 nodes. Ours is smaller, with the same edge factor. The paper does not state the
// number of sources of centralities.
const (
	nodesMost     = 16
	grappaScale   = 15
	grappaSources = 2
	// about a message there and back; 2 ms in the paper, for frames that are far larger
	grappaLinger = 10 * time.Microsecond
)

// grappaGraph returns the graph of both figures.
func grappaGraph(l *simulator) distgraph.Source {
	return distgraph.Source{Generator: must(graph.Kronecker(l.some(grappaScale, 8), graph.EdgeFactorDefault, 1))}
}

// kernels draws the modes that a figure compares: that of the paper, by waiting tasks, and those by pebbles.
func (l *simulator) kernels(d *drawing, rates []string, modes []string, of func(mode string) program,
	rate func(o outcome) []float64) {
	d.axis, d.unit, d.rates = "nodes", "million edges a second", true
	titles := []string{"nodes"}
	var curves []*curve
	for _, mode := range modes {
		curves = append(curves, d.curve(mode))
		for _, r := range rates {
			titles = append(titles, mode+": "+r)
		}
		titles = append(titles, "pebbles a frame")
	}
	t := lab.NewTable(titles...)
	for _, ranks := range l.upTo(ranksFirst, ranksFirst*nodesMost) {
		nodes := ranks / ranksFirst
		cells := []any{nodes}
		for i, mode := range modes {
			o := l.run(odin(ranks, way{"direct", "skr"}, 0), of(mode))
			values := rate(o)
			curves[i].add(float64(nodes), values[0])
			for _, v := range values {
				cells = append(cells, v)
			}
			cells = append(cells, float64(o.Counters.PebblesSent)/float64(max(1, o.Counters.FramesSent)))
		}
		t.Row(cells...)
	}
	d.table(t)
	for _, c := range curves[1:] {
		last := len(c.is) - 1
		d.say("On %v nodes %s is %s times as fast as %s.", c.at[last], c.name,
			lab.Digits(c.is[last]/curves[0].is[last]), curves[0].name)
	}
}

// grappaBFS is breadth-first search (Grappa, figure 8).
func grappaBFS(l *simulator, d *drawing) {
	source := grappaGraph(l)
	var last bfs.Result // simulations are cached by program: each of these runs once
	run := func(mode string) program {
		c := bfs.Config{Source: source, RootCount: 1, Common: apps.Common{Seed: 1}, Mode: bfs.Mode(mode),
			Linger: grappaLinger}
		if mode == everyArc {
			c.Mode, c.Unfiltered = bfs.ByLevel, true
		}
		return program{"Grappa's BFS, " + mode, func(r *pebble.Rank) (apps.Report, error) {
			result, err := bfs.Run(r, c)
			if r.ID() == 0 {
				last = result
			}
			return result.Report.Report, err
		}}
	}
	d.say("One search of %s, simulated on nodes of %d ranks. The paper counts the edges of the tree; Graph500 those "+
		"of the component that is reached.",
		source.Name(), ranksFirst)
	l.kernels(d, []string{"tree: M edges/s", "Graph500: M edges/s"},
		[]string{string(bfs.Tasks), everyArc, string(bfs.ByLevel)}, run, func(o outcome) []float64 {
			return []float64{float64(last.Reached[0]-1) / o.Seconds / 1e6, last.TEPS[0] / 1e6}
		})
}

// everyArc is mode level with a pebble for each arc to another rank: the paper's search sends a request for each.
const everyArc = "level, each arc"

// grappaCentrality is betweenness centrality (Grappa, figure 9).
func grappaCentrality(l *simulator, d *drawing) {
	source := grappaGraph(l)
	sources := l.some(grappaSources, 1)
	run := func(mode string) program {
		c := centrality.Config{Source: source, SourceCount: sources, Common: apps.Common{Seed: 1},
			Mode:   centrality.Mode(mode),
			Linger: grappaLinger}
		return program{fmt.Sprintf("Grappa's centrality, %d sources, %s", sources, mode),
			func(r *pebble.Rank) (apps.Report, error) {
				result, err := centrality.Run(r, c)
				return result.Report.Report, err
			}}
	}
	edges := float64(source.Generator.EdgeCount()) * float64(sources)
	d.say("%d sources of %s, simulated on nodes of %d ranks. Edges are those of the graph, once for each source, as "+
		"the paper counts.",
		sources, source.Name(), ranksFirst)
	l.kernels(d, []string{"M edges/s"}, []string{string(centrality.Tasks), string(centrality.ByLevel)}, run,
		func(o outcome) []float64 {
			return []float64{edges / o.Seconds / 1e6}
		})
}
