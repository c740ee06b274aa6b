package sssp

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// RootsDefault is how many roots are drawn when a Config names none and gives no number. Graph500 asks for 64.
const RootsDefault = 16

// Config says what Run does. All ranks give equal ones.
type Config struct {
	Source distgraph.Source // with weights

	// Roots are the ids of the vertices to search from, in this order.
	Roots []uint64
	// RootCount is how many roots to draw when Roots is empty: different vertices with an arc to another vertex, fewer
	// when there are not so many. 0 is RootsDefault.
	RootCount int
	// Seed decides which roots are drawn. (Random weights have a seed of their own.)
	Seed uint64

	// Delta is the width of a bucket: vertices whose distances differ by less may be taken in any order. 0 chooses it by
	// the heaviest arc and the arcs of those to which arcs lead. It changes speed and counters, never the answer.
	Delta float64
	// Unfiltered makes a rank send a pebble for every arc that leads to another rank. By default it remembers, in 4 bytes
	// for each vertex of the graph, what it has offered, and sends nothing that is no better. For measuring the network
	// and its reduction caches.
	Unfiltered bool
	// SkipValidation leaves the trees unchecked.
	SkipValidation bool

	// Progress, when not nil, is called on rank 0 now and then with how much of a phase is done: edges while the graph is
	// set up, then searches. A total of 0 is not known.
	Progress func(done, total uint64)
	// Phase, when not nil, is called on rank 0 when a phase begins: those of building a graph, and "searches".
	Phase func(what string)
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch {
	case ranks < 1:
		return fmt.Errorf("sssp: %d ranks: a job has at least one", ranks)
	case c.RootCount < 0:
		return fmt.Errorf("sssp: %d roots: give a positive number, or 0 for %d", c.RootCount, RootsDefault)
	case c.RootCount > 0 && len(c.Roots) > 0:
		return errors.New("sssp: both roots and a number of roots to draw are given: give one of the two")
	case !(c.Delta >= 0 && c.Delta <= math.MaxFloat64): // NaN too
		return fmt.Errorf("sssp: delta is %v: give a number above 0, or 0 for the default", c.Delta)
	case c.Source.Weights == distgraph.Unweighted:
		return fmt.Errorf("sssp: paths need weights: take those that are %s, %s ones, or %s each", distgraph.Given, distgraph.Random, distgraph.Ones)
	}
	return c.Source.Check()
}

func (c Config) rootCount() int { return cmp.Or(c.RootCount, RootsDefault) }
