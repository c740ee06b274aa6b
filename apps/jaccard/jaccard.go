// Package jaccard finds the similarity of the two ends of each edge of a distributed graph: the Jaccard similarity of
// their neighbours, the number of common neighbours divided by the number of vertices that are a neighbour of either
// (Jaccard, The Distribution of the Flora in the Alpine Zone, 1912). Arcs of both directions count as edges; duplicates
// and self-loops do not count.
//
// [NewKernel] registers the kernel on a graph. It orders vertices by degree. A rank sends the neighbours of a vertex,
// as a list, once to each rank that owns a higher one of them. That rank intersects the list with the rows of its
// higher vertices. So an edge costs the neighbours of its lower end, never those of a hub.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check counts in another way, for all edges of small
// graphs and for a sample of larger ones: it asks each neighbour of the lower end whether it is a neighbour of the
// higher end (see Kernel.Validate).
package jaccard

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// ThresholdDefault is the default of Config.Threshold.
const ThresholdDefault = 0.5

// Config configures Run. It is the same on all ranks.
type Config struct {
	// Seed draws the pairs to check. Progress counts edges during setup, then vertices of rank 0
	apps.Common
	Source distgraph.Source // its arcs count in both directions

	// Threshold is the least similarity of the pairs in Similar, above 0 and at most 1. 0 means ThresholdDefault.
	Threshold float64
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if threshold := c.complete().Threshold; !(threshold > 0 && threshold <= 1) { // NaN too
		return fmt.Errorf("jaccard: threshold is %v: give a number above 0, and 1 at most", threshold)
	}
	return c.Source.CheckUnweighted("jaccard")
}

// complete returns c with defaults for empty fields.
func (c Config) complete() Config {
	c.Threshold = cmp.Or(c.Threshold, ThresholdDefault)
	return c
}

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Pairs     uint64  `json:"pairs"`             // number of pairs of different adjacent vertices
	InCommon  uint64  `json:"common_neighbours"` // number of common neighbours, over all pairs: 3 for each triangle
	Sum       float64 `json:"similarity_sum"`
	Mean      float64 `json:"similarity_mean"`
	Zero      uint64  `json:"zero_pairs"` // number of pairs without a common neighbour
	Threshold float64 `json:"threshold"`
	Similar   uint64  `json:"similar_pairs"` // number of pairs with a similarity at or above Threshold
	// Highest are the five most similar pairs, the most similar first. Pairs of equal similarity are in the order of
	// the source.
	Highest        []Pair  `json:"highest"`
	EdgesPerSecond float64 `json:"edges_per_second"` // edges of the graph per second
	Recounted      uint64  `json:"recounted"`        // number of pairs that the check counted again
}

// Pair is two adjacent vertices, the first label first, and their similarity.
type Pair struct {
	First      distgraph.Label `json:"first"`
	Second     distgraph.Label `json:"second"`
	Similarity float64         `json:"similarity"`
}

// Rows returns labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	rows := [][2]string{
		{"arcs", "count both ways; parallel ones count once, self-loops don't count"},
		{"pairs", fmt.Sprintf("%d, of which %d have no neighbour in common", res.Pairs, res.Zero)},
		{"similarity", fmt.Sprintf("%.6g in the mean, %.6g in all", res.Mean, res.Sum)},
		{"similar pairs", fmt.Sprintf("%d, at or above %v", res.Similar, res.Threshold)},
	}
	label := "most similar"
	for _, p := range res.Highest {
		rows = append(rows, [2]string{label, fmt.Sprintf("vertices %d and %d: %.6g", p.First, p.Second, p.Similarity)})
		label = ""
	}
	rows = append(rows, [2]string{"edges a second", fmt.Sprintf("%.4g", res.EdgesPerSecond)})
	if res.Validated {
		rows = append(rows, [2]string{"counted again", fmt.Sprintf("for %d pairs", res.Recounted)})
	}
	return res.Report.Rows("counts", "rules", rows...)
}

// Run builds the graph, finds the similarities of its pairs, and checks them. All ranks call it with equal
// configurations. Every rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the
// job failed. Errors is the number of wrong counts and of pebbles that were lost, repeated or changed.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c = c.complete()
	res := Result{Report: distgraph.NewReport(r, "jaccard", c.Common), Threshold: c.Threshold}
	source := c.Source
	source.Undirected = true
	kernel, err := distgraph.Over(&res.Report, r, c.Common, source, distgraph.Work[Kernel]{
		Phase: "similarities", Rules: Rules, By: "similarity",
		Prepare: func(g *distgraph.Graph) (Kernel, error) { return NewKernel(g, c.Seed, c.Progress) },
		Sum: func(_ *distgraph.Graph, k Kernel) error {
			sums, err := k.Sums(c.Threshold)
			if err != nil {
				return err
			}
			res.Pairs, res.InCommon, res.Zero, res.Similar = sums.Pairs, sums.Common, sums.Zero, sums.Similar
			res.Sum, res.Mean = sums.Similarity, apps.Rate(sums.Similarity, float64(sums.Pairs))
			res.EdgesPerSecond = apps.Rate(float64(res.Edges), res.Seconds)
			res.Highest, err = k.Highest()
			return err
		},
		Columns: func(_ *distgraph.Graph, k Kernel) ([]export.Column, error) { return k.Columns(c.Threshold) },
	})
	if err != nil {
		return res, err
	}
	res.Recounted = kernel.Recounted()
	return res, nil
}

// Serial is the plain twin of Run: it loads the whole graph, and finds the similarity of each of its pairs on one
// goroutine. Vertices are numbers in the source, the smaller first, and pairs are in order.
func Serial(source distgraph.Source) ([]graph.Pair, error) {
	source.Undirected = true
	c, _, err := source.Load()
	if err != nil {
		return nil, err
	}
	return graph.Jaccard(c), nil
}
