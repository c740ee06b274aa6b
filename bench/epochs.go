package main

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// epochs measures many epochs of declared depth 1, one after the other, in the memory of this process.
type epochs struct {
	ranks    int
	topology string
	detector string
	pebbles  uint64 // that each rank sends in each, to the rank after it
	count    int
}

func (e epochs) String() string {
	what := "an empty epoch"
	if e.pebbles > 0 {
		what = "an epoch of a pebble a rank"
	}
	return fmt.Sprintf("%s, %d ranks, %s, %s", what, e.ranks, e.topology, e.detector)
}

// emptyEpochs are of detection alone.
func (p plan) emptyEpochs() group {
	g := group{name: "Empty epochs", about: "What the end of an epoch of declared depth 1 costs by itself, in one process. " +
		"Shares are of skr."}
	for _, ranks := range []int{2, 4, 8} {
		g.add(epochs{ranks: ranks, topology: "direct"}, "skr", "nbx", "pcx", "ordered")
	}
	return g
}

// shortEpochs are like the levels of a search of a road map.
func (p plan) shortEpochs() group {
	g := group{name: "Short epochs", about: "Each rank sends one pebble to the rank after it; declared depth 1, in one process. " +
		"Shares are of skr."}
	for _, e := range []epochs{
		{ranks: 8, topology: "direct"}, {ranks: 8, topology: "hypercube"},
		{ranks: 64, topology: "direct"}, {ranks: 64, topology: "hypercube"},
	} {
		e.pebbles = 1
		g.add(e, "skr", "nbx", "pcx", "pcx-neighbors", "ordered")
	}
	return g
}

// add adds a series for each detector, held against the first. With more ranks than cores, an epoch's time grows as the
// square of the ranks.
func (g *group) add(e epochs, detectors ...string) {
	e.count = max(32, 1<<16/(e.ranks*e.ranks))
	var first *series
	for _, e.detector = range detectors {
		s := &series{name: e.String(), unit: "µs an epoch", measure: e.measure}
		if first == nil {
			first = s
		}
		s.against = first
		g.series = append(g.series, s)
	}
}

func (e epochs) measure() (micros float64, err error) {
	topology, err := route.ByName(e.topology)
	if err != nil {
		return 0, err
	}
	detector, err := termination.ByName(e.detector)
	if err != nil {
		return 0, err
	}
	c := pebble.Config{Ranks: e.ranks, Topology: topology, Termination: detector}
	err = pebble.Run(context.Background(), c, func(r *pebble.Rank) error {
		took, err := e.run(r)
		if r.ID() == 0 {
			micros = took * micro
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("%v: %w", e, err)
	}
	return micros, nil
}

// run returns seconds an epoch. After each epoch every rank must have handled all pebbles for it.
func (e epochs) run(r *pebble.Rank) (seconds float64, err error) {
	handled := uint64(0)
	next := target.New(r, "next", distribution.Cyclic(uint64(e.ranks), e.ranks),
		target.Key(func(to uint64) uint64 { return to }), target.Each(func(uint64) { handled++ }))
	to := uint64(r.ID()+1) % uint64(e.ranks)
	if err := r.Barrier(); err != nil {
		return 0, err
	}
	start := r.Now()
	for n := range uint64(e.count) {
		err := r.Epoch(func() error {
			for range e.pebbles {
				next.Send(to)
			}
			return nil
		}, pebble.Depth(1))
		if err != nil {
			return 0, err
		}
		if want := (n + 1) * e.pebbles; handled != want {
			return 0, fmt.Errorf("rank %d has handled %d pebbles after %d epochs, not %d", r.ID(), handled, n+1, want)
		}
	}
	if err := r.Barrier(); err != nil {
		return 0, err
	}
	return (r.Now() - start).Seconds() / float64(e.count), nil
}
