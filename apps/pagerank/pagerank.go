// Package pagerank ranks the vertices of a distributed graph by its arcs (Page, Brin, Motwani and Winograd, The
// PageRank Citation Ranking, 1999). The score of a vertex is (1-damping)/n, plus damping times the sum of the scores of
// the tails of its arcs, each divided by the number of arcs that leave the tail. Duplicates do not count; self-loops
// count once if Source keeps them. The defaults are those of the GAP benchmark suite, where scores of vertices without
// arcs are lost, so that the sum of scores may be below 1. With Spread and Fixed the scores are those of LDBC
// Graphalytics. With Spread and self-loops they converge to those of NetworkX, and in graphs without duplicates to
// those of igraph (which counts an undirected self-loop twice).
//
// [NewKernel] registers the kernel on a graph. Each rank pulls: it traverses the arcs that lead to its vertices, and
// reads the shares of their tails in its own memory. The tails on other ranks are ghosts (distgraph.Ghosts), which one
// exchange per iteration updates. All scores of an iteration follow from those of the iteration before (Jacobi's
// method), so the number of ranks affects only the last digits.
//
// [Run] builds, ranks, checks and reports; [Serial] is the plain twin. The check differs from the computation: each arc
// carries the share of its tail to its head, by its own pebble, and no score may differ from the resulting sum by more
// than an iteration allows (see Kernel.Validate).
package pagerank

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// The defaults are those of the GAP benchmark suite.
const (
	DampingDefault    = 0.85
	ToleranceDefault  = 1e-4
	IterationsDefault = 20
)

// Config configures Run. It is equal on all ranks.
type Config struct {
	apps.Common // Progress counts edges during setup, then iterations
	Source      distgraph.Source

	// Damping is the fraction of a score that arcs carry, above 0 and below 1; 0 is DampingDefault.
	Damping float64
	// Tolerance ends the run when an iteration changes all scores together by less; 0 is ToleranceDefault.
	Tolerance float64
	// Iterations is the maximum number of iterations; 0 is IterationsDefault.
	Iterations int
	// Fixed ignores the tolerance: the run takes exactly Iterations iterations.
	Fixed bool
	// Dangling is the use of the scores of vertices without arcs; the empty Dangling is graph.Lose.
	Dangling graph.Dangling
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	c = c.complete()
	switch {
	case !(c.Damping > 0 && c.Damping < 1): // NaN too
		return fmt.Errorf("pagerank: damping is %v: give a number above 0 and below 1", c.Damping)
	case !c.Fixed && !(c.Tolerance > 0 && c.Tolerance <= 1):
		return fmt.Errorf("pagerank: tolerance is %v: give a number above 0, and 1 at most, or a fixed number of iterations",
			c.Tolerance)
	case c.Iterations < 0:
		return fmt.Errorf("pagerank: %d iterations: give a positive number", c.Iterations)
	case !slices.Contains(graph.Danglings, c.Dangling):
		return fmt.Errorf("pagerank: dangling %q is not one of %s", c.Dangling, apps.Names(graph.Danglings))
	}
	return c.Source.CheckUnweighted("pagerank")
}

// complete sets zero fields to their defaults.
func (c Config) complete() Config {
	c.Damping, c.Tolerance = cmp.Or(c.Damping, DampingDefault), cmp.Or(c.Tolerance, ToleranceDefault)
	c.Iterations, c.Dangling = cmp.Or(c.Iterations, IterationsDefault), cmp.Or(c.Dangling, graph.Lose)
	if c.Fixed {
		c.Tolerance = 0
	}
	return c
}

// Result is the report of Run.
type Result struct {
	distgraph.Report
	Damping   float64        `json:"damping"`
	Tolerance float64        `json:"tolerance"` // 0 when the number of iterations is fixed
	Dangling  graph.Dangling `json:"dangling"`
	SelfLoops bool           `json:"self_loops"` // they count

	Iterations int     `json:"iterations"`
	Change     float64 `json:"change"`    // of all scores together, by the last iteration
	Converged  bool    `json:"converged"` // Change is below Tolerance
	Residual   float64 `json:"residual"`  // change by one more iteration; 0 when unchecked

	// EdgesPerSecond is the edges of the graph times iterations, per second.
	EdgesPerSecond      float64           `json:"edges_per_second"`
	SecondsPerIteration float64           `json:"seconds_per_iteration"`
	ScoreSum            float64           `json:"score_sum"` // 1 minus the scores lost at vertices without arcs
	Top                 []distgraph.Score `json:"top"`       // the vertices with the highest scores, highest first
}

// Rows returns the labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	ended := fmt.Sprintf("%d: the last one changed the scores by %.3g", res.Iterations, res.Change)
	if !res.Converged && res.Tolerance > 0 {
		ended += fmt.Sprintf(", which is not below the tolerance of %.3g", res.Tolerance)
	}
	loops := "; self-loops don't count"
	if res.SelfLoops {
		loops = "; self-loops count once"
	}
	rows := [][2]string{
		{"arcs", "parallel ones count once" + loops},
		{"damping", fmt.Sprint(res.Damping)},
		{"scores of vertices without arcs", string(res.Dangling)},
		{"iterations", ended},
		{"an iteration", fmt.Sprintf("%.4g s", res.SecondsPerIteration)},
		{"edges a second", fmt.Sprintf("%.4g (edges times iterations)", res.EdgesPerSecond)},
		{"sum of scores", fmt.Sprintf("%.6g", res.ScoreSum)},
	}
	rows = append(rows, distgraph.ScoreRows("highest scores", res.Top)...)
	if res.Validated {
		rows = append(rows, [2]string{"residual", fmt.Sprintf("%.3g", res.Residual)})
	}
	return res.Report.Rows("scores", "rules", rows...)
}

// Run builds the graph, ranks its vertices, and checks the scores. All ranks call it with equal configurations. Every
// rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors
// counts wrong scores, and lost, repeated or changed pebbles. Scores that have not converged are not an error.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c = c.complete()
	res := Result{
		Report:  distgraph.NewReport(r, "pagerank", c.Common),
		Damping: c.Damping, Tolerance: c.Tolerance, Dangling: c.Dangling, SelfLoops: c.Source.SelfLoops,
	}
	kernel, err := distgraph.Over(&res.Report, r, c.Common, c.Source, distgraph.Work[Kernel]{
		Phase: "iterations", Rules: Rules, By: "score",
		Prepare: func(g *distgraph.Graph) (Kernel, error) {
			k, err := NewKernel(g, c)
			if err == nil {
				err = k.Resume(c.Seed)
			}
			return k, err
		},
		Sum: func(g *distgraph.Graph, k Kernel) (err error) {
			res.Seconds += k.Before()
			res.Iterations, res.Change = k.Iterations()
			res.Converged = res.Change < c.Tolerance
			res.EdgesPerSecond = apps.Rate(float64(res.Edges)*float64(res.Iterations), res.Seconds)
			res.SecondsPerIteration = apps.Rate(res.Seconds, float64(res.Iterations))
			res.Top, res.ScoreSum, err = g.Highest(k.Scores())
			return err
		},
		Columns: func(g *distgraph.Graph, k Kernel) ([]export.Column, error) {
			return g.VertexColumns("score", k.Scores())
		},
	})
	if err != nil {
		return res, err
	}
	res.Residual = kernel.Residual()
	return res, nil
}

// Serial is the plain twin of Run: it holds the whole graph, and ranks its vertices on one goroutine. The scores are in
// the order of the source of the graph. They differ from those of Run only by rounding.
func Serial(c Config) (scores []float64, err error) {
	rows, _, err := c.Source.Load()
	if err != nil {
		return nil, err
	}
	c = c.complete()
	rows = rows.Distinct(c.Source.SelfLoops)
	return graph.PageRank(rows, c.Damping, c.Tolerance, c.Iterations, c.Dangling), nil
}
