// Package bfs is breadth-first search on a distributed graph with Active Pebbles (section 4.4 of the paper), by the
// rules of Graph500: many roots, each search timed on its own, each tree checked by five rules.
//
// Package distgraph distributes a graph over the ranks. [NewSearch] registers one of four kernels on it:
//
//   - [ByLevel] proceeds level by level, with one epoch each. A pebble (child, parent) visits a vertex; the first
//     visit makes it a member of the next level.
//   - [Direction] proceeds level by level, too, in the cheaper direction for each level (Beamer, Asanović and
//     Patterson, Direction-Optimizing Breadth-First Search, SC 2012). Along arcs it works like ByLevel. Against them,
//     pebbles carry the frontier to all ranks as a bitmap, and each unreached vertex looks for a parent in it.
//   - [Async] is the paper's handler: a pebble offers a vertex a level and a parent, and a vertex that accepts the
//     offer sends its own offers, all in one epoch. Better offers correct levels, and low levels go first.
//   - [Tasks] proceeds level by level as Grappa does: for each arc a task asks if its head has a parent, and waits.
//
// Searches and their check use the same runtime, so both might miss the pebbles that it loses. Therefore every rank
// keeps a tally of the pebbles that it sends and handles during setup, search and check: their number, whether their
// vertices are its own, and the sum of their fingerprints. In a search with a reduction cache that merges, the
// fingerprints prove nothing. Then a visit that is lost while another one arrives twice is noticed only if the tree is
// wrong.
//
// [Run] builds, searches, checks and reports; [Serial] is the plain twin.
package bfs

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Mode is the algorithm of a search.
type Mode string

const (
	// ByLevel is level-synchronous: each level of the tree is an epoch.
	ByLevel Mode = "level"
	// Async is label-correcting: the whole search is one epoch.
	Async Mode = "async"
	// Direction is level-synchronous, and takes each step along arcs or against them, whichever examines fewer.
	Direction Mode = "direction"
	// Tasks is level-synchronous, with tasks that wait for answers: Grappa's search (sections 7.2 and 8.1). It asks
	// about every arc.
	Tasks Mode = "tasks"
)

// Modes lists all modes.
var Modes = []Mode{ByLevel, Async, Direction, Tasks}

// RootsDefault is the number of roots drawn if a Config has neither roots nor a number. Graph500 requires 64.
const RootsDefault = 16

// Config configures Run. It is equal on all ranks.
type Config struct {
	apps.Common // Seed draws roots. Progress counts edges during setup, then searches
	Source      distgraph.Source
	Mode        Mode // the empty Mode is ByLevel

	// Roots are the labels of the vertices to search from, in this order.
	Roots distgraph.Labels
	// RootCount is the number of roots to draw if Roots is empty: different vertices with an arc to another vertex, or
	// all of them if the graph has fewer. 0 is RootsDefault.
	RootCount int

	// Alpha and Beta choose the steps of Direction. A step goes against arcs if the arcs that leave the frontier are
	// more than one in Alpha of those from unreached vertices. It goes along them again when the frontier shrinks and
	// has fewer than one in Beta of the vertices. 0 is AlphaDefault and BetaDefault. An Alpha below 1 keeps all steps
	// along arcs; a huge Alpha and Beta keep all against them.
	Alpha, Beta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default a rank records for
	// each vertex of the graph that it has sent a pebble to it (a bit; Async: the level, a byte), and sends a second
	// one only if it is better. Unfiltered is for measuring the network and its reduction caches.
	Unfiltered bool

	// Linger is the time for which an idle rank in mode Tasks holds its buffers back (task.Linger).
	Linger time.Duration
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	switch c.Mode {
	case "", ByLevel, Async, Direction, Tasks:
	default:
		return fmt.Errorf("bfs: mode %q is not one of %s", c.Mode, apps.Names(Modes))
	}
	if err := c.starts().Check("bfs"); err != nil {
		return err
	}
	if err := c.starts().CheckRows("bfs", c.Output); err != nil {
		return err
	}
	if err := c.checkThresholds(); err != nil {
		return err
	}
	return c.Source.Check()
}

func (c Config) checkThresholds() error {
	for name, value := range map[string]float64{"alpha": c.Alpha, "beta": c.Beta} {
		switch {
		case !(value >= 0 && value <= math.MaxFloat64): // NaN too
			return fmt.Errorf("bfs: %s is %v: give a number above 0, or 0 for the default", name, value)
		case value > 0 && c.Mode != Direction:
			return fmt.Errorf("bfs: %s is for mode %s: leave it out", name, Direction)
		}
	}
	return nil
}

func (c Config) mode() Mode { return cmp.Or(c.Mode, ByLevel) }

func (c Config) starts() distgraph.Starts {
	return distgraph.Starts{Name: "roots", Labels: c.Roots, Count: c.RootCount, Default: RootsDefault}
}

// Result is the report of Run. Seconds is the sum of the times of all searches; Counters counts only the searches.
type Result struct {
	distgraph.Report
	distgraph.Searches
	Mode Mode `json:"mode"`

	// One entry per root.
	Depths       []int64  `json:"depths"`
	DistanceSums []uint64 `json:"distance_sums"`
}

func (res *Result) add(s Summary, seconds float64) {
	res.Add(s.Reached, s.Traversed, seconds)
	res.Depths = append(res.Depths, s.Depth)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
}

// Rows returns the labels and values of a summary for display.
func (res Result) Rows() [][2]string {
	return res.Report.Rows("trees", "Graph500 rules", append([][2]string{
		{"arcs", "parallel ones and self-loops change no tree; they count in the rates"},
		{"mode", string(res.Mode)},
		{"order of vertices", res.order()},
		{"roots", fmt.Sprint(res.Roots.Len())},
		{"reached", apps.Span(res.Reached)},
		{"depth", apps.Span(res.Depths)},
	}, res.RateRows()...)...)
}

func (res Result) order() string {
	if res.Ordered {
		return "by degree"
	}
	return "as given"
}

// Run builds the graph, searches from each root, and checks each tree. All ranks call it with equal configurations.
// Every rank gets the whole result, except Breaches, which only rank 0 gets. An error means that the job failed. Errors
// counts wrong trees, and pebbles of the searches that were not handled as they were sent.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	if err := apps.CheckSaves(r, "bfs: mode", c.mode(), Resumable...); err != nil {
		return Result{}, err
	}
	out, err := apps.NewRowWriter(r, c.Output, "distance")
	if err != nil {
		return Result{}, err
	}
	defer out.Abort()
	var rows func() ([]export.Column, error)
	res := Result{Report: distgraph.NewReport(r, "bfs", c.Common), Mode: c.mode()}
	walk := distgraph.Walk[Search]{
		Source: c.Source, Starts: c.starts(), Phase: "searches", Rules: Rules, Broken: "Graph500 rules",
		Make: func(g *distgraph.Graph) (Search, error) {
			tuning := Tuning{Unfiltered: c.Unfiltered, Alpha: c.Alpha, Beta: c.Beta}
			if c.Mode == Tasks {
				tuning.Tasks = task.New(r, task.Linger(c.Linger))
			}
			return NewSearch(g, c.mode(), tuning)
		},
		Resume: func(search Search, roots distgraph.Labels) error {
			return search.Resume(c.Seed, append(res.Searched(), checkpoint.Argument("roots", roots),
				checkpoint.Argument("mode", c.mode()), checkpoint.Value("reached", &res.Reached),
				checkpoint.Value("teps", &res.TEPS), checkpoint.Value("depths", &res.Depths),
				checkpoint.Value("sums", &res.DistanceSums))...)
		},
		Add: func(search Search, seconds float64) error {
			summary, err := search.Summary()
			res.Seconds += search.Before()
			res.add(summary, seconds+search.Before())
			return err
		},
		Sum: func(_ *distgraph.Graph, search Search, n int) error {
			rows = search.Columns
			res.Rate(res.Report, n)
			return nil
		},
	}
	if res.Roots, err = walk.Run(&res.Report, r, c.Common); err != nil {
		return res, err
	}
	return res, out.Keep(&res.Report.Report, rows)
}

// Serial is the plain twin of the searches of Run: it holds the whole graph, and searches from the vertices with these
// ids with a queue, on one goroutine.
func Serial(source distgraph.Source, roots []uint64) ([]Summary, error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, id := range roots {
		root, known := index(id)
		if !known {
			return nil, fmt.Errorf("bfs: root %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		dist, parent := graph.BFS(c, root)
		if err := graph.Validate(c, root, parent, dist); err != nil {
			return nil, err
		}
		all = append(all, Summary{graph.Summarize(dist), graph.TraversedEdges(c, dist)})
	}
	return all, nil
}
