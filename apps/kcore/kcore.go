// Package kcore finds the cores of a distributed graph. The k-core is the rest of the graph after repeated removal of
// vertices with fewer than k neighbours. A vertex's core number is the largest k of a core that contains it (Seidman,
// Network Structure and Minimum Degree, 1983). Arcs of both directions count as edges; duplicates and self-loops do not
// count.
//
// [NewKernel] registers the kernel on a graph. It peels the graph for one k after the other: it removes vertices with k
// neighbours left, and sends a pebble to each of their neighbours, which may be next. Each k is an epoch.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check finds core numbers in another way: starting
// from the degrees, each vertex takes the largest number h such that h of its neighbours have h or more, until nothing
// changes (Lü, Zhou, Zhang and Stanley, The H-index of a Network Node, 2016; see Kernel.Validate).
package kcore

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Config configures Run. It is the same on all ranks.
type Config struct {
	apps.Common                  // Progress counts edges during setup, then vertices of rank 0
	Source      distgraph.Source // its arcs count in both directions
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error { return c.Source.CheckUnweighted("kcore") }

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Largest   uint64 `json:"largest_core"`          // the largest core number
	InLargest uint64 `json:"largest_core_vertices"` // number of vertices with it
	NumberSum uint64 `json:"core_number_sum"`       // sum over all vertices
	Rounds    int    `json:"rounds"`                // number of different core numbers: an epoch each
	// EdgesPerSecond counts the edges of the graph.
	EdgesPerSecond float64 `json:"edges_per_second"`
}

// Rows returns labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("core numbers", "rules",
		[2]string{"arcs", "count both ways; parallel ones count once, self-loops don't count"},
		[2]string{"largest core", fmt.Sprintf("%d, of %d vertices", res.Largest, res.InLargest)},
		[2]string{"core numbers", fmt.Sprintf("%d, with a sum of %d", res.Rounds, res.NumberSum)},
		[2]string{"edges a second", fmt.Sprintf("%.4g", res.EdgesPerSecond)},
	)
}

// Run builds the graph, finds its cores, and checks them. All ranks call it with equal configurations. Every rank gets
// the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors is the number
// of wrong core numbers and of pebbles that were lost, repeated or changed.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	res := Result{Report: distgraph.NewReport(r, "kcore", c.Common)}
	source := c.Source
	source.Undirected = true
	_, err := distgraph.Over(&res.Report, r, c.Common, source, distgraph.Work[Kernel]{
		Phase: "cores", Rules: Rules, By: "core",
		Prepare: func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, c.Progress) },
		Sum: func(_ *distgraph.Graph, k Kernel) error {
			sums, err := k.Sums()
			res.Largest, res.InLargest, res.NumberSum, res.Rounds = sums.Largest, sums.InLargest, sums.Sum, k.Rounds()
			res.EdgesPerSecond = apps.Rate(float64(res.Edges), res.Seconds)
			return err
		},
		Columns: func(g *distgraph.Graph, k Kernel) ([]export.Column, error) {
			return g.VertexColumns("core", k.Cores())
		},
	})
	return res, err
}

// Serial is the plain twin of Run: it loads the whole graph, and finds its vertices' core numbers on one goroutine.
// They are in the order of the graph's source.
func Serial(source distgraph.Source) (cores []uint64, err error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Cores(c), nil
}
