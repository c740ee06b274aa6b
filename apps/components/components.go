// Package components finds the connected components of a distributed graph. Arcs of a directed graph join their ends in
// both directions, so its components are the weakly connected ones. The label of a vertex is the smallest index of the
// vertices in its component.
//
// [NewKernel] registers one of two kernels on a graph:
//
//   - [Hook] hooks trees together and shortens them (Shiloach and Vishkin, 1982). Each rank first joins the ends of
//     its own arcs in its own memory, and skips most arcs of its largest component (Afforest: Sutton, Ben-Nun and
//     Barak, 2018). Then ranks exchange the trees of ghosts, and join these trees by pebbles.
//   - [Propagate] spreads each label until it meets a smaller one, in one epoch.
//
// [Run] builds, finds, checks and reports; [Serial] is the plain twin. The check is that of the GAP benchmark suite: a
// flood along all arcs from the vertex whose index is the label of a component reaches all vertices with that label,
// and no others (see Kernel.Validate).
package components

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Method is the algorithm of a kernel.
type Method string

const (
	// Hook hooks trees together and shortens them.
	Hook Method = "hook"
	// Propagate spreads labels.
	Propagate Method = "propagate"
)

// Methods lists all methods.
var Methods = []Method{Hook, Propagate}

// Config configures Run. It is equal on all ranks.
type Config struct {
	apps.Common                  // Progress counts edges during setup
	Source      distgraph.Source // its arcs lead both ways
	Method      Method           // the empty Method is Hook
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if c.method() != Hook && c.Method != Propagate {
		return fmt.Errorf("components: method %q is not one of %s", c.Method, apps.Names(Methods))
	}
	return c.Source.CheckUnweighted("components")
}

func (c Config) method() Method { return cmp.Or(c.Method, Hook) }

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Method     Method `json:"method"`
	Components uint64 `json:"components"`
	Largest    uint64 `json:"largest"` // vertices of the largest component
	Alone      uint64 `json:"alone"`   // components of one vertex
	// EdgesPerSecond is edges of the graph per second.
	EdgesPerSecond float64 `json:"edges_per_second"`
}

// Rows returns the labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("labels", "rules",
		[2]string{"arcs", "count both ways; parallel ones and self-loops change nothing"},
		[2]string{"method", string(res.Method)},
		[2]string{"components", fmt.Sprintf("%d; %d of them are one vertex", res.Components, res.Alone)},
		[2]string{"the largest", fmt.Sprintf("%d vertices", res.Largest)},
		[2]string{"edges a second", fmt.Sprintf("%.4g", res.EdgesPerSecond)},
	)
}

// Run builds the graph, finds its components, and checks them. All ranks call it with equal configurations. Every rank
// gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors counts
// wrong labels, and lost, repeated or changed pebbles.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	if err := apps.CheckSaves(r, "components: method", c.method(), Hook); err != nil {
		return Result{}, err
	}
	res := Result{Report: distgraph.NewReport(r, "components", c.Common), Method: c.method()}
	source := c.Source
	source.Undirected = true
	_, err := distgraph.Over(&res.Report, r, c.Common, source, distgraph.Work[Kernel]{
		Phase: "components", Rules: Rules, By: "component",
		Prepare: func(g *distgraph.Graph) (Kernel, error) {
			k, err := NewKernel(g, c.method())
			if err == nil {
				err = k.Resume(c.Seed)
			}
			return k, err
		},
		Sum: func(_ *distgraph.Graph, k Kernel) error {
			res.Seconds += k.Before()
			res.EdgesPerSecond = apps.Rate(float64(res.Edges), res.Seconds)
			sizes, err := k.Sizes()
			res.Components, res.Largest, res.Alone = sizes.Groups, sizes.Largest, sizes.Alone
			return err
		},
		Columns: func(g *distgraph.Graph, k Kernel) ([]export.Column, error) {
			smallest, err := k.Smallest()
			if err != nil {
				return nil, err
			}
			return g.LabelColumns("component", smallest)
		},
	})
	return res, err
}

// Serial is the plain twin of Run: it holds the whole graph, and finds its components on one goroutine. It returns the
// smallest vertex of each vertex's component, in the order of the source of the graph.
func Serial(source distgraph.Source) (labels []uint64, err error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Components(c), nil
}
