// Package communities finds communities of a distributed graph by synchronous label propagation, the CDLP of LDBC
// Graphalytics (Iosup and others, 2016; after Raghavan, Albert and Kumara, 2007): each vertex begins with its own id as
// its label, and in each iteration takes the most frequent label among those that its neighbours had before, the
// smallest of several. In a directed graph a vertex counts each end of its arcs, so that a neighbour that arcs lead to
// and from counts twice. Duplicates and self-loops don't count. A vertex without neighbours keeps its label.
//
// [NewKernel] registers the kernel on a graph. Labels of neighbours on other ranks are ghosts (distgraph.Ghosts), which
// one exchange an iteration brings up to date. A label is the number of a vertex, its place in the source, which has
// the order of ids. All labels of an iteration are made of those of the one before, so the number of ranks makes no
// difference.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check goes through all iterations again by another
// way: each vertex sends its label along each of its arcs, by a pebble of its own (see Kernel.Validate).
package communities

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// IterationsDefault is the number of iterations of LDBC Graphalytics.
const IterationsDefault = 10

// Config says what Run does. All ranks give equal ones.
type Config struct {
	apps.Common // Progress counts edges during setup, then iterations
	Source      distgraph.Source
	// Iterations is the number of iterations; 0 is IterationsDefault. Those after one that has changed nothing are
	// left out.
	Iterations int
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if c.Iterations < 0 {
		return fmt.Errorf("communities: %d iterations: give a positive number, or 0 for %d",
			c.Iterations, IterationsDefault)
	}
	return c.Source.CheckUnweighted("communities")
}

// Result is what Run reports.
type Result struct {
	distgraph.Report
	Iterations  int    `json:"iterations"` // that were needed
	Changed     uint64 `json:"changed"`    // labels that the last one has changed
	Communities uint64 `json:"communities"`
	Largest     uint64 `json:"largest"` // vertices of the largest community
	Alone       uint64 `json:"alone"`   // vertices that are a community of their own
	// EdgesPerSecond is edges of the graph times iterations, a second.
	EdgesPerSecond float64 `json:"edges_per_second"`
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("labels", "rules",
		[2]string{"arcs", "count both ways; parallel ones count once, self-loops don't count"},
		[2]string{"iterations", fmt.Sprintf("%d: the last one changed %d labels", res.Iterations, res.Changed)},
		[2]string{"communities", fmt.Sprintf("%d; %d of them are one vertex", res.Communities, res.Alone)},
		[2]string{"the largest", fmt.Sprintf("%d vertices", res.Largest)},
		[2]string{"edges a second", fmt.Sprintf("%.4g (edges times iterations)", res.EdgesPerSecond)},
	)
}

// Run builds the graph, finds its communities, and checks them. All ranks call it with equal configurations. Every rank
// has the whole result, except Breaches, which rank 0 has. An error means that the job failed. Errors counts wrong
// labels, and pebbles that were lost, repeated or changed.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	res := Result{Report: distgraph.NewReport(r, "communities", c.Common)}
	_, err := distgraph.Over(&res.Report, r, c.Common, c.Source, distgraph.Work[Kernel]{
		Phase: "iterations", Rules: Rules, By: "community",
		Prepare: func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, c.Iterations, c.Progress) },
		Sum: func(_ *distgraph.Graph, k Kernel) error {
			res.Iterations, res.Changed = k.Iterations()
			res.EdgesPerSecond = apps.Rate(float64(res.Edges)*float64(res.Iterations), res.Seconds)
			sizes, err := k.Sizes()
			res.Communities, res.Largest, res.Alone = sizes.Groups, sizes.Largest, sizes.Alone
			return err
		},
		Columns: func(g *distgraph.Graph, k Kernel) ([]export.Column, error) {
			return g.LabelColumns("community", k.Labels())
		},
	})
	return res, err
}

// Serial is the plain twin of Run: it holds the whole graph, and finds its communities on one goroutine. It returns the
// label of each vertex, which is the place of a vertex in the source of the graph, in the order of the source.
func Serial(c Config) (labels []uint64, err error) {
	rows, _, err := c.Source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Communities(rows, cmp.Or(c.Iterations, IterationsDefault)), nil
}
