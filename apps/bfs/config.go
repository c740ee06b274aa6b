package bfs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
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
	Source distgraph.Source
	Mode   Mode // the empty Mode is ByLevel

	// Roots are the ids of the vertices to search from, in this order.
	Roots []uint64
	// RootCount is how many roots to draw when Roots is empty: different vertices with an arc to another vertex, fewer
	// when there are not so many. 0 is RootsDefault.
	RootCount int
	// Seed decides which roots are drawn. (A generator has a seed of its own.)
	Seed uint64

	// Alpha and Beta choose the steps of Direction. A step is against arcs when the arcs that leave the frontier are more
	// than one in Alpha of those from vertices not reached yet, and along them again when the frontier shrinks and has
	// fewer than one in Beta of the vertices. 0 is AlphaDefault and BetaDefault. Below 1, Alpha keeps all steps along
	// arcs; a huge Alpha and Beta keep all against them.
	Alpha, Beta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default it remembers, in a bit
	// for each vertex of the graph (Async: the level, in a byte), whom it has sent a pebble to, and sends no second one
	// that is not better. For measuring the network and its reduction caches.
	Unfiltered bool
	// SkipValidation leaves the trees unchecked.
	SkipValidation bool

	// Linger is for how long a rank of mode Tasks that has nothing to do holds its buffers back (task.Linger).
	Linger time.Duration

	// Progress, when not nil, is called on rank 0 now and then with how much of a phase is done: edges while the graph is
	// set up, then searches. A total of 0 is not known.
	Progress func(done, total uint64)
	// Phase, when not nil, is called on rank 0 when a phase begins, with what Progress counts from then on: "edges read",
	// "edges sent" or "edges made", "edges sorted" (which tells no progress), "searches".
	Phase func(what string)
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch c.Mode {
	case "", ByLevel, Async, Direction, Tasks:
	default:
		return fmt.Errorf("bfs: mode %q is not one of %s", c.Mode, apps.Names(Modes))
	}
	switch {
	case ranks < 1:
		return fmt.Errorf("bfs: %d ranks: a job has at least one", ranks)
	case c.RootCount < 0:
		return fmt.Errorf("bfs: %d roots: give a positive number, or 0 for %d", c.RootCount, RootsDefault)
	case c.RootCount > 0 && len(c.Roots) > 0:
		return errors.New("bfs: both roots and a number of roots to draw are given: give one of the two")
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

func (c Config) rootCount() int { return cmp.Or(c.RootCount, RootsDefault) }
