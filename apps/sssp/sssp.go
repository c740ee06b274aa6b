// Package sssp finds shortest paths from one vertex to all others in a distributed graph with weights, by the rules of
// Graph500's second kernel: many roots, each search timed on its own, each tree of paths checked.
//
// It is label-correcting and asynchronous: a whole search is one epoch. A pebble offers a vertex a distance and a
// parent; a vertex that takes the offer waits in a bucket, with others about as near, to make offers of its own along
// its arcs. A rank empties its nearest bucket first, as idle work, whenever no offers are left to be handled: the order
// of delta-stepping (Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, 2003), but each rank on
// its own, and nobody waits for all. An offer that comes late corrects what was too far.
//
// [Run] does all of it and reports; [Serial], which is Dijkstra's algorithm, is the plain twin. Distances are sums of
// float64 from the root on, rounded at each step. Rounding keeps order, so the shortest distances do not depend on who
// found them when, and both agree in each bit.
//
// Searches and their check use the same runtime, so what it loses might be missed by both. Therefore every rank
// accounts for the pebbles that it sends and is given, as package bfs says.
package sssp

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// RootsDefault is how many roots are drawn when a Config names none and gives no number. Graph500 asks for 64.
const RootsDefault = 16

// Config says what Run does. All ranks give equal ones.
type Config struct {
	apps.Common                  // Seed draws roots. Progress counts edges during setup, then searches
	Source      distgraph.Source // with weights

	// Roots are the labels of the vertices to search from, in this order.
	Roots distgraph.Labels
	// RootCount is how many roots to draw if there are none: different vertices with an arc to another vertex, fewer
	// when there are not so many. 0 is RootsDefault.
	RootCount int

	// Delta is the width of a bucket: vertices whose distances differ by less may be taken in any order. 0 chooses it by
	// the heaviest arc and the arcs of those to which arcs lead. It changes speed and counters, never the answer.
	Delta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default it remembers, in 4 bytes
	// for each vertex of the graph, what it has offered, and sends nothing that is no better. For measuring the network
	// and its reduction caches.
	Unfiltered bool
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if err := c.starts().Check("sssp"); err != nil {
		return err
	}
	if err := c.starts().CheckRows("sssp", c.Output); err != nil {
		return err
	}
	switch {
	case !(c.Delta >= 0 && c.Delta <= math.MaxFloat64): // NaN too
		return fmt.Errorf("sssp: delta is %v: give a number above 0, or 0 for the default", c.Delta)
	case c.Source.Weights == distgraph.Unweighted:
		return fmt.Errorf("sssp: paths need weights: take those that are %s, %s ones, or %s each", distgraph.Given,
			distgraph.Random, distgraph.Ones)
	}
	return c.Source.Check()
}

func (c Config) starts() distgraph.Starts {
	return distgraph.Starts{Name: "roots", Labels: c.Roots, Count: c.RootCount, Default: RootsDefault}
}

// Result is what Run reports. Seconds is the sum of all searches' times, and Counters counts the searches alone.
type Result struct {
	distgraph.Report
	distgraph.Searches
	Weights string  `json:"weights"` // where they are from: given, random or one
	Delta   float64 `json:"delta"`
	// OffersPerVertex is the number of pebbles that the searches sent for each vertex reached; 1 is the minimum.
	OffersPerVertex float64 `json:"offers_per_vertex"`

	// One entry a root.
	Farthest     []float64 `json:"farthest"`
	DistanceSums []float64 `json:"distance_sums"`
}

func (res *Result) add(s Summary, seconds float64) {
	res.Add(s.Reached, s.Traversed, seconds)
	res.Farthest = append(res.Farthest, s.Farthest)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
}

// Rows are labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("trees", "Graph500 rules", append([][2]string{
		{"arcs", "the lightest of parallel ones counts, self-loops don't count; all count in the rates"},
		{"weights", res.Weights},
		{"delta", fmt.Sprintf("%.4g", res.Delta)},
		{"roots", fmt.Sprint(res.Roots.Len())},
		{"reached", apps.Span(res.Reached)},
		{"farthest", apps.Span(res.Farthest)},
		{"offers a reached vertex", fmt.Sprintf("%.3g", res.OffersPerVertex)},
	}, res.RateRows()...)...)
}

// Run builds the graph, searches from each root, and checks each tree. All ranks call it with equal configurations.
// Every rank has the whole result, except Breaches, which rank 0 has. An error means that the job failed; a wrong tree,
// or pebbles of the searches that were not handled as they were sent, are counted in Errors.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	out, err := apps.NewRowWriter(r, c.Output, "distance")
	if err != nil {
		return Result{}, err
	}
	defer out.Abort()
	var rows func() ([]export.Column, error)
	res := Result{Report: distgraph.NewReport(r, "sssp", c.Common), Weights: string(c.Source.Weights)}
	var reached uint64
	walk := distgraph.Walk[Search]{
		Source: c.Source, Starts: c.starts(), Phase: "searches", Rules: Rules, Broken: "Graph500 rules",
		Make: func(g *distgraph.Graph) (Search, error) { return NewSearch(g, Tuning{c.Unfiltered, c.Delta}) },
		Add: func(search Search, seconds float64) error {
			summary, err := search.Summary()
			res.add(summary, seconds)
			reached += summary.Reached
			return err
		},
		Sum: func(_ *distgraph.Graph, search Search, n int) error {
			rows, res.Delta = search.Columns, search.Delta()
			res.Rate(res.Report, n)
			res.OffersPerVertex = apps.Rate(float64(res.Counters.PebblesSent), float64(reached))
			return nil
		},
	}
	if res.Roots, err = walk.Run(&res.Report, r, c.Common); err != nil {
		return res, err
	}
	return res, out.Keep(&res.Report.Report, rows)
}

// Serial is the plain twin of the searches of Run: it holds the whole graph, and searches from the vertices with these
// ids by Dijkstra's algorithm, on one goroutine.
func Serial(source distgraph.Source, roots []uint64) ([]Summary, error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, id := range roots {
		root, known := index(id)
		if !known {
			return nil, fmt.Errorf("sssp: root %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		dist, parent := graph.Dijkstra(c, root)
		if err := graph.ValidatePaths(c, root, parent, dist); err != nil {
			return nil, err
		}
		all = append(all, summarize(c, dist))
	}
	return all, nil
}

func summarize(c *graph.CSR, dist []float64) (s Summary) {
	levels := make([]int64, len(dist))
	for v, d := range dist {
		if math.IsInf(d, 1) {
			levels[v] = graph.Unreached
			continue
		}
		s.Reached++
		s.Sum += d
		s.Farthest = max(s.Farthest, d)
	}
	s.Traversed = graph.TraversedEdges(c, levels)
	return s
}
