package sssp

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// Run builds the graph, searches from each root, and checks each tree. All ranks call it with equal configurations. The
// result is complete on every rank, but for Breaches, which is told on rank 0. An error means that the job failed; a
// wrong tree, or pebbles of the searches that were not handled as they were sent, are counted in Errors.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	res := Result{Report: distgraph.NewReport(r, "sssp", c.Seed, !c.SkipValidation), Weights: string(c.Source.Weights)}
	source := c.Source
	source.Progress, source.Phase = c.Progress, c.Phase
	var search Search
	var roots []uint64
	g, err := res.Load(r, source, func(g *distgraph.Graph) (err error) {
		if search, err = NewSearch(g, Tuning{c.Unfiltered, c.Delta}); err != nil {
			return err
		}
		res.Roots, roots, err = g.Choose(c.Roots, c.rootCount(), c.Seed)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res.Delta = search.Delta()
	var reached uint64
	breaches, err := res.Each(g, source, roots, search, "searches", describe, func(seconds float64) error {
		summary, err := search.Summary()
		res.add(summary, seconds)
		reached += summary.Reached
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res.HarmonicMeanTEPS = apps.HarmonicMean(res.TEPS)
	res.AllEdgesPerSecond = apps.Rate(float64(res.Edges)*float64(len(roots)), res.Seconds)
	res.OffersPerVertex = apps.Rate(float64(res.Counters.PebblesSent), float64(reached))
	if err := res.Found(r, breaches, "breaches of the Graph500 rules"); err != nil {
		return Result{}, err
	}
	return res, res.Finish(r, search.Tally())
}
