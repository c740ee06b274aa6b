// Package kcore finds the cores of a distributed graph: the k-core is what is left of it when vertices with fewer than
// k neighbours are taken away until there are none, and a vertex's core number is the largest k of a core that has it
// (Seidman, Network Structure and Minimum Degree, 1983). Arcs count as edges, whichever way they lead; duplicates and
// self-loops don't count.
//
// [NewKernel] registers the kernel on a graph. It peels, for one k after the other: vertices with k neighbours left are
// taken away, and tell those that they are neighbours of, by a pebble each, which may be next. A k is an epoch.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check finds core numbers in another way: each
// vertex takes the largest number h such that h of its neighbours have h or more, from the degrees on, until nothing
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

// Config says what Run does. All ranks give equal ones.
type Config struct {
	apps.Common                  // Progress counts edges during setup, then vertices of rank 0
	Source      distgraph.Source // each of its arcs leads both ways
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error { return c.Source.CheckUnweighted("kcore") }

// Result is what Run reports.
type Result struct {
	distgraph.Report
	Largest   uint64 `json:"largest_core"`          // the largest core number
	InLargest uint64 `json:"largest_core_vertices"` // vertices that have it
	NumberSum uint64 `json:"core_number_sum"`       // of all vertices
	Rounds    int    `json:"rounds"`                // core numbers that vertices have: an epoch each
	// EdgesPerSecond is edges of the graph, a second.
	EdgesPerSecond float64 `json:"edges_per_second"`
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("core numbers", "rules",
		[2]string{"arcs", "count both ways; parallel ones count once, self-loops don't count"},
		[2]string{"largest core", fmt.Sprintf("%d, of %d vertices", res.Largest, res.InLargest)},
		[2]string{"core numbers", fmt.Sprintf("%d, with a sum of %d", res.Rounds, res.NumberSum)},
		[2]string{"edges a second", fmt.Sprintf("%.4g", res.EdgesPerSecond)},
	)
}

// Run builds the graph, finds its cores, and checks them. All ranks call it with equal configurations. Every rank has
// the whole result, except Breaches, which rank 0 has. An error means that the job failed. Errors counts wrong core
// numbers, and pebbles that were lost, repeated or changed.
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

// Serial is the plain twin of Run: it holds the whole graph, and finds its vertices' core numbers on one goroutine.
// They are in the order of the source of the graph.
func Serial(source distgraph.Source) (cores []uint64, err error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Cores(c), nil
}
