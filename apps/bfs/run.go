package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Run builds the graph, searches from each root, and checks each tree. All ranks call it with equal configurations. The
// result is complete on every rank, but for Breaches, which is told on rank 0. An error means that the job failed; a wrong
// tree, or pebbles of the searches that were not handled as they were sent, are counted in Errors.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	res := Result{Report: apps.NewReport(r, "bfs", c.Seed), Mode: c.mode(), Validated: !c.SkipValidation}
	var g *Graph
	var search Search
	var roots []uint64
	var err error
	res.SetUp, err = apps.Timed(r, func() error {
		source := c.Source
		if r.ID() == 0 {
			source.progress, source.phase = c.Progress, c.Phase
		}
		if g, err = Build(r, source); err != nil {
			return err
		}
		if search, err = NewSearch(g, c.mode(), Tuning{c.Unfiltered, c.Alpha, c.Beta}); err != nil {
			return err
		}
		roots, err = res.choose(g, c)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res.describe(g)
	if c.Phase != nil && r.ID() == 0 {
		c.Phase("searches")
	}
	var errors uint64
	for i, root := range roots {
		found, err := res.one(g, search, root)
		if err != nil {
			return Result{}, err
		}
		errors += found
		if c.Progress != nil && r.ID() == 0 {
			c.Progress(uint64(i+1), uint64(len(roots)))
		}
	}
	res.HarmonicMeanTEPS = harmonicMean(res.TEPS)
	if res.Seconds > 0 {
		res.AllEdgesPerSecond = float64(res.Edges) * float64(len(roots)) / res.Seconds
	}
	if err := res.Found(r, errors, "breaches of the Graph500 rules"); err != nil {
		return Result{}, err
	}
	return res, res.Finish(r, search.Tally())
}

// choose settles the roots: their ids in the result, their indices returned.
func (res *Result) choose(g *Graph, c Config) (indices []uint64, err error) {
	if len(c.Roots) > 0 {
		res.Roots = append(res.Roots, c.Roots...)
		return g.Indices(c.Roots)
	}
	if indices, err = g.Draw(c.rootCount(), c.Seed); err != nil {
		return nil, err
	}
	res.Roots, err = g.IDs(indices)
	return indices, err
}

// one does one search and adds it to the result. It returns how many breaches this rank found.
func (res *Result) one(g *Graph, search Search, root uint64) (uint64, error) {
	var kernel apps.Report
	if err := kernel.Kernel(g.rank, func() error { return search.From(root) }); err != nil {
		return 0, err
	}
	res.Seconds += kernel.Seconds
	res.Termination = kernel.Termination
	rounds, epochs := res.Counters.Rounds+kernel.Counters.Rounds, res.Counters.Epochs+kernel.Counters.Epochs
	res.Counters = res.Counters.Add(kernel.Counters)
	res.Counters.Rounds, res.Counters.Epochs = rounds, epochs
	summary, err := search.Summary()
	if err != nil {
		return 0, err
	}
	res.add(summary, kernel.Seconds)
	if !res.Validated {
		return 0, nil
	}
	return res.validate(g, search)
}

func (res *Result) validate(g *Graph, search Search) (uint64, error) {
	var found Breaches
	seconds, err := apps.Timed(g.rank, func() (err error) {
		found, err = search.Validate()
		return err
	})
	if err != nil {
		return 0, err
	}
	res.Verify += seconds
	texts, err := g.Describe(found)
	room := max(0, breachesTold-len(res.Breaches))
	res.Breaches = append(res.Breaches, texts[:min(len(texts), room)]...)
	return found.Count, err
}
