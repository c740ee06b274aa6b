package centrality

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/apps/distgraph"
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
	Source distgraph.Source
	Mode   Mode // the empty Mode is ByLevel

	// Sources are the ids of the vertices to begin at, in this order.
	Sources []uint64
	// SourceCount is how many to draw when Sources is empty: different vertices with an arc to another vertex, fewer when
	// there are not so many. 0 is SourcesDefault.
	SourceCount int
	// Seed decides which are drawn. (A generator has a seed of its own.)
	Seed uint64
	// SkipValidation leaves the result unchecked.
	SkipValidation bool

	// Linger is for how long a rank of mode Tasks that has nothing to do holds its buffers back (task.Linger).
	Linger time.Duration

	// Progress, when not nil, is called on rank 0 now and then with how much of a phase is done: edges while the graph is
	// set up, then sources. A total of 0 is not known.
	Progress func(done, total uint64)
	// Phase, when not nil, is called on rank 0 when a phase begins: those of building a graph, and "sources".
	Phase func(what string)
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch {
	case c.mode() != ByLevel && c.Mode != Tasks:
		return fmt.Errorf("centrality: mode %q is not one of %s, %s", c.Mode, ByLevel, Tasks)
	case ranks < 1:
		return fmt.Errorf("centrality: %d ranks: a job has at least one", ranks)
	case c.SourceCount < 0:
		return fmt.Errorf("centrality: %d sources: give a positive number, or 0 for %d", c.SourceCount, SourcesDefault)
	case c.SourceCount > 0 && len(c.Sources) > 0:
		return errors.New("centrality: both sources and a number of sources to draw are given: give one of the two")
	case c.Source.Weights != distgraph.Unweighted:
		return errors.New("centrality: arcs count 1 each: leave weights out")
	}
	return c.Source.Check()
}

func (c Config) mode() Mode { return cmp.Or(c.Mode, ByLevel) }

func (c Config) sourceCount() int { return cmp.Or(c.SourceCount, SourcesDefault) }
