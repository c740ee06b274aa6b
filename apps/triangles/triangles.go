// Package triangles counts the triangles of a distributed graph: sets of three vertices each two of which are joined by
// an arc, whichever way it leads. Duplicates and self-loops don't count.
//
// [NewKernel] registers the kernel on a graph. It orders vertices by degree, and lets each arc lead to the higher end,
// so that no vertex has many (Schank and Wagner, Finding, Counting and Listing All Triangles, 2005). A triangle is
// found from its lowest vertex, at the owner of its middle one: a rank sends what its vertices lead to, as a list, to
// each rank that owns one of these, which looks for what its own lead to in the list.
//
// With PerVertex it also counts the triangles of each vertex, and finds its local clustering coefficient (Watts and
// Strogatz, 1998; the LCC of LDBC Graphalytics): the share of ordered pairs of neighbours that an arc joins. Neighbours
// are those at either end of an arc; an undirected edge joins both orders of its ends, an arc of a directed graph one.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check counts in another way, for all vertices of
// small graphs and for a sample of larger ones: each two arcs that meet at a vertex ask at the other end of one of them
// whether a third arc closes the triangle (see Kernel.Validate).
package triangles

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
	// Seed draws the vertices to check. Progress counts edges during setup, then vertices of rank 0
	apps.Common
	Source distgraph.Source // each of its arcs leads both ways, unless PerVertex is set
	// PerVertex counts the triangles of each vertex, and finds its local clustering coefficient. Output needs it, and
	// sets it.
	PerVertex bool
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error { return c.Source.CheckUnweighted("triangles") }

// Result is what Run reports.
type Result struct {
	distgraph.Report
	Triangles uint64 `json:"triangles"`
	Wedges    uint64 `json:"wedges"` // pairs of arcs that meet at a vertex
	// Transitivity is the share of wedges that are in a triangle.
	Transitivity   float64 `json:"transitivity"`
	EdgesPerSecond float64 `json:"edges_per_second"` // edges of the graph, a second
	Recounted      uint64  `json:"recounted"`        // vertices for which the check has counted again
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	rows := [][2]string{
		{"arcs", "count both ways; parallel ones count once, self-loops don't count"},
		{"triangles", fmt.Sprint(res.Triangles)},
		{"wedges", fmt.Sprintf("%d, of which %.4g %% are in a triangle", res.Wedges, 100*res.Transitivity)},
		{"edges a second", fmt.Sprintf("%.4g", res.EdgesPerSecond)},
	}
	if res.Validated {
		rows = append(rows, [2]string{"counted again", fmt.Sprintf("for %d vertices", res.Recounted)})
	}
	return res.Report.Rows("counts", "rules", rows...)
}

// Run builds the graph, counts its triangles, and checks that. All ranks call it with equal configurations. Every rank
// has the whole result, except Breaches, which rank 0 has. An error means that the job failed. Errors counts wrong
// counts, and pebbles that were lost, repeated or changed.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c.PerVertex = c.PerVertex || c.Output.Wanted()
	res := Result{Report: distgraph.NewReport(r, "triangles", c.Common)}
	source := c.Source
	source.Undirected = source.Undirected || !c.PerVertex
	kernel, err := distgraph.Over(&res.Report, r, c.Common, source, distgraph.Work[Kernel]{
		Phase: "triangles", Rules: Rules, By: "triangles",
		Prepare: func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, c) },
		Sum: func(_ *distgraph.Graph, k Kernel) error {
			counts, err := k.Counts()
			res.Triangles, res.Wedges = counts.Triangles, counts.Wedges
			res.Transitivity = apps.Rate(3*float64(counts.Triangles), float64(counts.Wedges))
			res.EdgesPerSecond = apps.Rate(float64(res.Edges), res.Seconds)
			return err
		},
		Columns: func(g *distgraph.Graph, k Kernel) ([]export.Column, error) {
			counts, clustering := k.Corners()
			columns, err := g.VertexColumns("triangles", counts)
			return append(columns, export.Column{Name: "clustering", Values: clustering}), err
		},
	})
	if err != nil {
		return res, err
	}
	res.Recounted = kernel.Recounted()
	return res, nil
}

// Serial is the plain twin of Run: it holds the whole graph, and counts its triangles on one goroutine.
func Serial(source distgraph.Source) (uint64, error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return 0, err
	}
	return graph.Triangles(c), nil
}

// SerialCorners is the plain twin for PerVertex. It returns in how many triangles each vertex is, and its local
// clustering coefficient, in the order of the source of the graph.
func SerialCorners(source distgraph.Source) (triangles []uint64, clustering []float64, err error) {
	c, _, err := source.Load()
	if err != nil {
		return nil, nil, err
	}
	triangles, clustering = graph.Clustering(c)
	return triangles, clustering, nil
}
