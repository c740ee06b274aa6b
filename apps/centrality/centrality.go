// Package centrality computes the betweenness centrality of the vertices of a distributed graph, from some sources: for
// each vertex, the sum over all sources and all other vertices of the share of the shortest paths between them that
// pass through it (Brandes, A Faster Algorithm for Betweenness Centrality, 2001; Grappa's paper, section 7.2, uses the
// parallel version of Bader and others). Arcs count 1 each; duplicates and self-loops change nothing.
//
// [NewKernel] registers one of two kernels on a graph. Each goes out from a source level by level and counts the
// shortest paths to each vertex. Then it comes back from the last level to the first and sums up the dependencies:
//
//   - [ByLevel] sends pebbles. A rank adds up the offers of its own vertices to a vertex of another rank, and sends one
//     pebble for all of them. On the way back the owner answers the ranks with counted offers, with one number each,
//     and these ranks read only local memory.
//   - [Tasks] is Grappa's: parallel loops over each level, and for each arc an operation at the owner of its head. The
//     task waits for its result.
//
// [Run] does all of it and reports; [Serial] is the plain twin. The check uses other means than the kernel: each arc
// carries the paths of its tail to its head and brings back the head's dependency, and sums and levels must agree (see
// Kernel.Validate). The last digits of sums of float64 depend on their order. So sums are compared with a tolerance,
// relative to their size ([Tolerance]); counts of paths are exact below 2^53.
package centrality

import (
	"cmp"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Mode is the method of a kernel.
type Mode string

const (
	// ByLevel sends pebbles: each level out, and each level back, is an epoch.
	ByLevel Mode = "level"
	// Tasks runs tasks that wait for answers, as Grappa does. Each arc is a request, out and back.
	Tasks Mode = "tasks"
)

// Modes are all modes, by name.
var Modes = []Mode{ByLevel, Tasks}

// SourcesDefault is the number of sources drawn if a Config gives neither sources nor a number.
const SourcesDefault = 4

// Tolerance is the largest difference, relative to their size, between two sums of the same numbers in different
// orders. It is far above the rounding errors of millions of numbers, and far below any missing number.
const Tolerance = 1e-9

// Config configures Run. It is the same on all ranks.
type Config struct {
	apps.Common // Seed draws sources. Progress counts edges during setup, then sources
	Source      distgraph.Source
	Mode        Mode // the empty Mode is ByLevel

	// Sources are the labels of the vertices to start from, in this order.
	Sources distgraph.Labels
	// SourceCount is the number of sources to draw if Sources is empty: different vertices with an arc to another
	// vertex, or all such vertices if the graph has fewer. 0 means SourcesDefault.
	SourceCount int

	// Linger is the time that an idle rank of mode Tasks holds its buffers back (task.Linger).
	Linger time.Duration
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if c.mode() != ByLevel && c.Mode != Tasks {
		return fmt.Errorf("centrality: mode %q is not one of %s, %s", c.Mode, ByLevel, Tasks)
	}
	if err := c.starts().Check("centrality"); err != nil {
		return err
	}
	return c.Source.CheckUnweighted("centrality")
}

func (c Config) mode() Mode { return cmp.Or(c.Mode, ByLevel) }

func (c Config) starts() distgraph.Starts {
	return distgraph.Starts{Name: "sources", Labels: c.Sources, Count: c.SourceCount, Default: SourcesDefault}
}

// Result is the report of Run. Seconds is the sum over all sources, and Counters covers only these.
type Result struct {
	distgraph.Report
	Mode    Mode             `json:"mode"`
	Sources distgraph.Labels `json:"sources"`
	// TEPS is edges of the graph times sources per second, as in Grappa's paper (section 7.2).
	TEPS             float64 `json:"teps"`
	SecondsPerSource float64 `json:"seconds_per_source"`

	// One entry for each source.
	Reached []uint64  `json:"reached"`
	Depths  []int64   `json:"depths"`
	Times   []float64 `json:"times"`

	ScoreSum float64           `json:"score_sum"` // sum of all scores; its last digits depend on the order
	Top      []distgraph.Score `json:"top"`       // the vertices with the highest centralities, highest first
}

// Rows returns labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	rows := [][2]string{
		{"arcs", "parallel ones count once, self-loops don't count; all count in the rate"},
		{"mode", string(res.Mode)},
		{"sources", fmt.Sprint(res.Sources.Len())},
		{"reached", apps.Span(res.Reached)},
		{"depth", apps.Span(res.Depths)},
		{"a source", fmt.Sprintf("%.4g s", res.SecondsPerSource)},
		{"traversed edges a second", fmt.Sprintf("%.4g (edges times sources)", res.TEPS)},
	}
	rows = append(rows, distgraph.ScoreRows("highest centralities", res.Top)...)
	return res.Report.Rows("centralities", "rules", rows...)
}

// Run builds the graph, adds up centralities from each source, and checks them. All ranks call it with equal
// configurations. Every rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the
// job failed, or that the number of paths overflows (ErrPaths). Errors is the number of wrong numbers and of pebbles
// that were not handled as sent.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	out, err := apps.NewRowWriter(r, c.Output, "score")
	if err != nil {
		return Result{}, err
	}
	defer out.Abort()
	res := Result{Report: distgraph.NewReport(r, "centrality", c.Common), Mode: c.mode()}
	var rows func() ([]export.Column, error)
	walk := distgraph.Walk[Kernel]{
		Source: c.Source, Starts: c.starts(), Phase: "sources", Rules: Rules, Broken: "rules",
		Make: func(g *distgraph.Graph) (Kernel, error) {
			var tasks *task.Scheduler
			if c.Mode == Tasks {
				tasks = task.New(r, task.Linger(c.Linger))
			}
			return NewKernel(g, c.mode(), tasks)
		},
		Add: func(kernel Kernel, seconds float64) error {
			reached, depth, err := kernel.Reached()
			res.Times = append(res.Times, seconds)
			res.Reached, res.Depths = append(res.Reached, reached), append(res.Depths, depth)
			return err
		},
		Sum: func(g *distgraph.Graph, kernel Kernel, n int) (err error) {
			res.TEPS = apps.Rate(float64(res.Edges)*float64(n), res.Seconds)
			res.SecondsPerSource = apps.Rate(res.Seconds, float64(n))
			scores := kernel.Scores()
			rows = func() ([]export.Column, error) { return g.VertexColumns("score", scores) }
			res.Top, res.ScoreSum, err = g.Highest(scores)
			return err
		},
	}
	if res.Sources, err = walk.Run(&res.Report, r, c.Common); err != nil {
		return res, err
	}
	return res, out.Keep(&res.Report.Report, rows)
}

// Serial is the plain twin of Run: it loads the whole graph, and adds up centralities from the vertices with these ids
// on one goroutine. The scores are in the order of the graph's source.
func Serial(source distgraph.Source, sources []uint64) (scores []float64, err error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	scores = make([]float64, c.Vertices())
	for _, id := range sources {
		at, known := index(id)
		if !known {
			return nil, fmt.Errorf("centrality: source %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		if _, ok := graph.Brandes(c, at, scores); !ok {
			return nil, fmt.Errorf("centrality: graph %s has %w", source.Name(), ErrPaths)
		}
	}
	return scores, nil
}
