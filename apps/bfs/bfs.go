// Package bfs is breadth-first search on a distributed graph with Active Pebbles (section 4.4 of the paper), by the
// rules of Graph500: many roots, each search timed on its own, each tree checked by five rules.
//
// Package distgraph spreads a graph over the ranks. [NewSearch] registers one of four kernels on it:
//
//   - [ByLevel] goes level by level, one epoch each. A pebble (child, parent) visits a vertex; the first one makes it a
//     member of the next level.
//   - [Direction] goes level by level, too, and chooses for each the cheaper direction (Beamer, Asanović and Patterson,
//     Direction-Optimizing Breadth-First Search, SC 2012). Along arcs it does what ByLevel does. Against them, pebbles
//     carry the
//     frontier to all ranks as a bitmap, and each vertex that is not reached looks for a parent in it.
//   - [Async] is the paper's handler: a pebble offers a vertex a level and a parent, and a vertex that takes the
//     offer sends
//     offers of its own, all in one epoch. Levels are corrected as better offers come, and low levels go first.
//   - [Tasks] goes level by level as Grappa does: tasks ask for each arc whether its head has a parent, and wait.
//
// Searches and their check use the same runtime, so what it loses might be missed by both. Therefore every rank
// accounts for the pebbles that it sends and is given, in the building, the searches and the check: how many they are,
// whether their vertices are its own, and the sum of a fingerprint of each. In a search with a reduction cache that
// merges, the fingerprints say nothing, and the rest must do: a visit that is lost while another comes twice is noticed
// if the tree is wrong.
//
// [Run] does all of it and reports; [Serial] is the plain twin.
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

// Mode is how a search goes about it.
type Mode string

const (
	// ByLevel is level-synchronous: each level of the tree is an epoch.
	ByLevel Mode = "level"
	// Async is label-correcting: the whole search is one epoch.
	Async Mode = "async"
	// Direction is level-synchronous too, and takes each step along arcs or against them, whichever looks at fewer.
	Direction Mode = "direction"
	// Tasks is level-synchronous, with tasks that wait for answers: Grappa's search (sections 7.2 and 8.1). Each arc is
	// asked about.
	Tasks Mode = "tasks"
)

// Modes are all modes, by name.
var Modes = []Mode{ByLevel, Async, Direction, Tasks}

// RootsDefault is how many roots are drawn when a Config names none and gives no number. Graph500 asks for 64.
const RootsDefault = 16

// Config says what Run does. All ranks give equal ones.
type Config struct {
	apps.Common // Seed draws roots. Progress counts edges during setup, then searches
	Source      distgraph.Source
	Mode        Mode // the empty Mode is ByLevel

	// Roots are the labels of the vertices to search from, in this order.
	Roots distgraph.Labels
	// RootCount is how many roots to draw if there are none: different vertices with an arc to another vertex, fewer
	// when there are not so many. 0 is RootsDefault.
	RootCount int

	// Alpha and Beta choose the steps of Direction. A step is against arcs when the arcs that leave the frontier are more
	// than one in Alpha of those from vertices not reached yet, and along them again when the frontier shrinks and has
	// fewer than one in Beta of the vertices. 0 is AlphaDefault and BetaDefault. Below 1, Alpha keeps all steps along
	// arcs; a huge Alpha and Beta keep all against them.
	Alpha, Beta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default it remembers, in a bit
	// for each vertex of the graph (Async: the level, in a byte), whom it has sent a pebble to, and sends no second one
	// that is not better. For measuring the network and its reduction caches.
	Unfiltered bool

	// Linger is for how long a rank of mode Tasks that has nothing to do holds its buffers back (task.Linger).
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

// Result is what Run reports. Seconds is the sum of all searches' times, and Counters counts the searches alone.
type Result struct {
	distgraph.Report
	distgraph.Searches
	Mode Mode `json:"mode"`

	// One entry a root.
	Depths       []int64  `json:"depths"`
	DistanceSums []uint64 `json:"distance_sums"`
}

func (res *Result) add(s Summary, seconds float64) {
	res.Add(s.Reached, s.Traversed, seconds)
	res.Depths = append(res.Depths, s.Depth)
	res.DistanceSums = append(res.DistanceSums, s.Sum)
}

// Rows are labels and values of a summary for display.
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
// Every rank has the whole result, except Breaches, which rank 0 has. An error means that the job failed; a wrong tree,
// or pebbles of the searches that were not handled as they were sent, are counted in Errors.
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
