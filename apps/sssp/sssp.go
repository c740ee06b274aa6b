// Package sssp finds shortest paths from one vertex to all others in a distributed graph with weights, by the rules of
// Graph500's second kernel: many roots, each search timed separately, each tree of paths checked.
//
// It is label-correcting and asynchronous: a whole search is one epoch. A pebble offers a vertex a distance and a
// parent. A vertex that accepts waits in a bucket, with others at similar distances, to make offers along its arcs.
// When a rank has no more offers to handle, it empties its nearest bucket, as idle work. That is the order of
// delta-stepping (Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, 2003), but each rank
// proceeds independently, without a barrier. A late offer corrects a distance that was too long.
//
// [Run] does all of it and reports; [Serial], Dijkstra's algorithm, is the plain twin. Distances are sums of float64
// from the root on, rounded at each step. Rounding keeps order, so the shortest distances do not depend on the order of
// the search, and both agree in every bit.
//
// Searches and their check use the same runtime, so both might miss its losses. Therefore every rank accounts for the
// pebbles that it sends and receives, as described in package bfs.
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

// RootsDefault is the number of roots drawn if a Config gives neither roots nor a number. Graph500 asks for 64.
const RootsDefault = 16

// Config configures Run. It is the same on all ranks.
type Config struct {
	apps.Common                  // Seed draws roots. Progress counts edges during setup, then searches
	Source      distgraph.Source // with weights

	// Roots are the labels of the vertices to search from, in this order.
	Roots distgraph.Labels
	// RootCount is the number of roots to draw if Roots is empty: different vertices with an arc to another vertex, or
	// all such vertices if the graph has fewer. 0 means RootsDefault.
	RootCount int

	// Delta is the width of a bucket: vertices whose distances differ by less may be processed in any order. 0 chooses
	// it by the heaviest arc and the degrees of arcs' ends. It changes speed and counters, never the result.
	Delta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default a rank remembers its
	// offers, in 4 bytes for each vertex of the graph, and sends only better ones. It is for measuring the network and
	// its reduction caches.
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

// Result is the report of Run. Seconds is the sum of all searches' times, and Counters covers only the searches.
type Result struct {
	distgraph.Report
	distgraph.Searches
	Weights string  `json:"weights"` // their origin: given, random or one
	Delta   float64 `json:"delta"`
	// OffersPerVertex is the number of pebbles sent per reached vertex; 1 is the minimum.
	OffersPerVertex float64 `json:"offers_per_vertex"`

	// One entry for each root.
	Farthest     []float64 `json:"farthest"`
	DistanceSums []float64 `json:"distance_sums"`
}

func (res *Result) add(s Summary, seconds float64) {
	res.Add(s.Reached, s.Traversed, seconds)
	res.Farthest = append(res.Farthest, s.Farthest)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
}

// Rows returns labels and values of a summary for display.
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
// Every rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors
// is the number of breaches in trees and of pebbles that were not handled as sent.
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

// Serial is the plain twin of the searches of Run: it loads the whole graph, and searches from the vertices with these
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
