// Package communities finds communities of a distributed graph by synchronous label propagation, the CDLP of LDBC
// Graphalytics (Iosup and others, 2016; after Raghavan, Albert and Kumara, 2007). Each vertex begins with its own id as
// its label. In each iteration it takes the most frequent of its neighbours' labels of the iteration before; the
// smallest wins a tie. In a directed graph a vertex counts each end of its arcs, so a neighbour with arcs in both
// directions counts twice. Duplicates and self-loops do not count. A vertex without neighbours keeps its label.
//
// [NewKernel] registers the kernel on a graph. Labels of neighbours on other ranks are ghosts (distgraph.Ghosts); each
// iteration updates them by one exchange. A label is the number of a vertex, its place in the source, in the order of
// ids. All labels of an iteration depend only on those of the iteration before, so the result does not depend on the
// number of ranks.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check repeats all iterations in another way: each
// vertex sends its label along each of its arcs, as a pebble (see Kernel.Validate).
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

// Config configures Run. It is the same on all ranks.
type Config struct {
	apps.Common // Progress counts edges during setup, then iterations
	Source      distgraph.Source
	// Iterations is the largest number of iterations; 0 means IterationsDefault. The run ends early after an iteration
	// that changes nothing.
	Iterations int
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if c.Iterations < 0 {
		return fmt.Errorf("communities: %d iterations: give a positive number", c.Iterations)
	}
	return c.Source.CheckUnweighted("communities")
}

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Iterations  int    `json:"iterations"` // number of iterations done
	Changed     uint64 `json:"changed"`    // number of labels that the last iteration changed
	Communities uint64 `json:"communities"`
	Largest     uint64 `json:"largest"` // number of vertices of the largest community
	Alone       uint64 `json:"alone"`   // number of communities of one vertex
	// EdgesPerSecond is edges of the graph times iterations per second.
	EdgesPerSecond float64 `json:"edges_per_second"`
}

// Rows returns labels and values of a summary for display.
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
// gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors is the
// number of wrong labels and of pebbles that were lost, repeated or changed.
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

// Serial is the plain twin of Run: it loads the whole graph, and finds its communities on one goroutine. It returns the
// label of each vertex, a place in the graph's source, in the order of the source.
func Serial(c Config) (labels []uint64, err error) {
	rows, _, err := c.Source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Communities(rows, cmp.Or(c.Iterations, IterationsDefault)), nil
}
