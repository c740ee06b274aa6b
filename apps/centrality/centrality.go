// Package centrality computes the betweenness centrality of the vertices of a distributed graph, from some sources: for
// each vertex, the sum over all others and all sources of the share of the shortest paths from the source to the other
// that pass through (Brandes, A Faster Algorithm for Betweenness Centrality, 2001; Grappa's paper, section 7.2, has it
// as Bader and others made it parallel). Arcs count 1 each; duplicates and self-loops change nothing.
//
// [NewKernel] registers one of two kernels on a graph. Each goes out from a source level by level and counts the
// shortest paths to each vertex, and comes back from the last level to the first, summing up what depends on each:
//
//   - [ByLevel] sends pebbles. A rank adds up first what its own vertices offer to one of another rank, and sends one
//     pebble for all of them; on
//     the way back the owner answers those ranks whose offers have counted, with one number each, and they look at
//     their own memory alone.
//   - [Tasks] is Grappa's: parallel loops over each level, and for each arc an operation at the owner of its head,
//     which the task waits for.
//
// [Run] does all of it and reports; [Serial] is the plain twin. What a kernel has found is checked by other means than
// it was found: each arc carries the paths of its tail to its head and brings back what depends on it, and sums and
// levels must agree (see Kernel.Validate). Sums of float64 depend on their order in the last digits. So sums are
// compared with a tolerance, relative to their size ([Tolerance]); counts of paths are exact as long as they are below
// 2^53.
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

// Mode is how a kernel goes about it.
type Mode string

const (
	// ByLevel sends pebbles: each level out, and each level back, is an epoch.
	ByLevel Mode = "level"
	// Tasks has tasks that wait for answers, as Grappa does. Each arc is asked about, out and back.
	Tasks Mode = "tasks"
)

// Modes are all modes, by name.
var Modes = []Mode{ByLevel, Tasks}

// SourcesDefault is how many sources are drawn when a Config names none and gives no number.
const SourcesDefault = 4

// Tolerance is by how much, relative to their size, two sums of the same numbers in other orders may differ: far more
// than rounding makes of millions of them, and far less than any that lacks.
const Tolerance = 1e-9

// Config says what Run does. All ranks give equal ones.
type Config struct {
	apps.Common // Seed draws sources. Progress counts edges during setup, then sources
	Source      distgraph.Source
	Mode        Mode // the empty Mode is ByLevel

	// Sources are the labels of the vertices to begin at, in this order.
	Sources distgraph.Labels
	// SourceCount is how many to draw if there are none: different vertices with an arc to another vertex, fewer when
	// there are not so many. 0 is SourcesDefault.
	SourceCount int

	// Linger is for how long a rank of mode Tasks that has nothing to do holds its buffers back (task.Linger).
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

// Result is what Run reports. Seconds is the sum over all sources, and Counters counts them alone.
type Result struct {
	distgraph.Report
	Mode    Mode             `json:"mode"`
	Sources distgraph.Labels `json:"sources"`
	// TEPS is edges of the graph times sources, a second, as Grappa's paper counts (section 7.2).
	TEPS             float64 `json:"teps"`
	SecondsPerSource float64 `json:"seconds_per_source"`

	// One entry a source.
	Reached []uint64  `json:"reached"`
	Depths  []int64   `json:"depths"`
	Times   []float64 `json:"times"`

	ScoreSum float64           `json:"score_sum"` // of all; its last digits depend on the order
	Top      []distgraph.Score `json:"top"`       // the vertices with the highest centralities, highest first
}

// Rows are labels and values of a summary for display.
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
// configurations. Every rank has the whole result, except Breaches, which rank 0 has. An error means that the job
// failed, or that there are too many paths to be counted (ErrPaths); wrong numbers, or pebbles that were not handled as
// they were sent, are counted in Errors.
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

// Serial is the plain twin of Run: it holds the whole graph, and adds up centralities from the vertices with these ids
// on one goroutine. The scores are in the order of the source of the graph.
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
