// Package triangles counts the triangles of a distributed graph: sets of three vertices joined in pairs by arcs of
// either direction. Duplicates and self-loops do not count.
//
// [NewKernel] registers the kernel on a graph. It orders vertices by degree and points each arc to the higher end, so
// that no vertex has many (Schank and Wagner, Finding, Counting and Listing All Triangles, 2005). The owner of a
// triangle's middle vertex finds it. A rank sends the heads of a vertex's arcs, as a list, to each rank that owns one
// of them; that rank intersects the list with the heads of its own vertices in the list.
//
// With PerVertex it also counts the triangles of each vertex, and finds its local clustering coefficient (Watts and
// Strogatz, 1998; the LCC of LDBC Graphalytics): the share of ordered pairs of neighbours that an arc joins. Neighbours
// are the vertices at the other ends of arcs of either direction. An undirected edge joins both orders of its ends, an
// arc of a directed graph one.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check counts in another way, for all vertices of
// small graphs and for a sample of larger ones: for each two arcs that meet at a vertex, it asks the other end of one
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

// Config configures Run. It is the same on all ranks.
type Config struct {
	// Seed draws the vertices to check. Progress counts edges during setup, then vertices of rank 0
	apps.Common
	Source distgraph.Source // its arcs count in both directions, unless PerVertex is set
	// PerVertex counts the triangles of each vertex, and finds its local clustering coefficient. Output needs it and
	// implies it.
	PerVertex bool
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error { return c.Source.CheckUnweighted("triangles") }

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Triangles uint64 `json:"triangles"`
	Wedges    uint64 `json:"wedges"` // number of pairs of arcs that meet at a vertex
	// Transitivity is the share of wedges that are in a triangle.
	Transitivity   float64 `json:"transitivity"`
	EdgesPerSecond float64 `json:"edges_per_second"` // edges of the graph per second
	Recounted      uint64  `json:"recounted"`        // number of vertices that the check counted again
}

// Rows returns labels and values of a summary for display.
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

// Run builds the graph, counts its triangles, and checks the count. All ranks call it with equal configurations. Every
// rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors is
// the number of wrong counts and of pebbles that were lost, repeated or changed.
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

// Serial is the plain twin of Run: it loads the whole graph, and counts its triangles on one goroutine.
func Serial(source distgraph.Source) (uint64, error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return 0, err
	}
	return graph.Triangles(c), nil
}

// SerialCorners is the plain twin for PerVertex. It returns the number of triangles of each vertex, and its local
// clustering coefficient, in the order of the graph's source.
func SerialCorners(source distgraph.Source) (triangles []uint64, clustering []float64, err error) {
	c, _, err := source.Load()
	if err != nil {
		return nil, nil, err
	}
	triangles, clustering = graph.Clustering(c)
	return triangles, clustering, nil
}
