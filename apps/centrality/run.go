package centrality

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Run builds the graph, adds up centralities from each source, and checks them. All ranks call it with equal
// configurations. The result is complete on every rank, but for Breaches, which is told on rank 0. An error means that
// the job failed, or that there are too many paths to be counted (ErrPaths); wrong numbers, or pebbles that were not
// handled as they were sent, are counted in Errors.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	res := Result{Report: distgraph.NewReport(r, "centrality", c.Seed, !c.SkipValidation), Mode: c.mode()}
	source := c.Source
	source.Progress, source.Phase = c.Progress, c.Phase
	var kernel Kernel
	var sources []uint64
	g, err := res.Load(r, source, func(g *distgraph.Graph) (err error) {
		var tasks *task.Scheduler
		if c.Mode == Tasks {
			tasks = task.New(r, task.Linger(c.Linger))
		}
		if kernel, err = NewKernel(g, c.mode(), tasks); err != nil {
			return err
		}
		res.Sources, sources, err = g.Choose(c.Sources, c.sourceCount(), c.Seed)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	breaches, err := res.Each(g, source, sources, kernel, "sources", describe, func(seconds float64) error {
		reached, depth, err := kernel.Reached()
		res.Times, res.Reached, res.Depths = append(res.Times, seconds), append(res.Reached, reached), append(res.Depths, depth)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	res.TEPS = apps.Rate(float64(res.Edges)*float64(len(sources)), res.Seconds)
	res.SecondsPerSource = apps.Rate(res.Seconds, float64(len(sources)))
	if err := res.rank(g, kernel.Scores()); err != nil {
		return Result{}, err
	}
	if err := res.Found(r, breaches, "breaches of the rules"); err != nil {
		return Result{}, err
	}
	return res, res.Finish(r, kernel.Tally())
}

// rank finds the vertices with the highest centralities: of each rank's highest, the highest. Those of one centrality
// are in the order of the graph's source.
func (res *Result) rank(g *distgraph.Graph, scores []float64) error {
	type place struct {
		number uint64
		score  float64
	}
	higher := func(a, b place) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.number, b.number)) }
	var own []place
	sum := 0.0
	for i, score := range scores {
		sum += score
		if p := (place{g.First + uint64(i), score}); len(own) < topTold || higher(p, own[len(own)-1]) < 0 {
			at, _ := slices.BinarySearchFunc(own, p, higher)
			if own = slices.Insert(own, at, p); len(own) > topTold {
				own = own[:topTold]
			}
		}
	}
	var err error
	if res.ScoreSum, err = pebble.AllReduce(g.Rank, sum, func(a, b float64) float64 { return a + b }); err != nil {
		return err
	}
	all, err := pebble.AllGatherSlice(g.Rank, own)
	if err != nil {
		return err
	}
	top := slices.Concat(all...)
	slices.SortFunc(top, higher)
	top = top[:min(len(top), topTold)]
	var numbers []uint64
	for _, p := range top {
		numbers = append(numbers, p.number)
	}
	ids, err := g.IDsOf(numbers)
	for i, id := range ids {
		res.Top = append(res.Top, Score{id, top[i].score})
	}
	return err
}
