package reduction

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Run runs the reduction on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers one target, named as the kind. The result is complete on every rank. Keys with a wrong total
// are counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b, err := newBench(r, c.withDefaults(r.Config().Cache))
	if err != nil {
		return Result{}, err
	}
	return b.run()
}

func (b *bench) run() (Result, error) {
	result := b.result()
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel, Rate: result.rate, Verify: b.verify,
		Judge: func() error {
			if err := result.Found(b.rank, b.errors, "keys have wrong totals"); err != nil {
				return err
			}
			return result.Finish(b.rank, b.tally)
		},
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	order  order
	owner  *distribution.BlockMap
	totals []Total // of this rank's keys
	tally  apps.Tally
	errors uint64
}

func newBench(r *pebble.Rank, c Config) (*bench, error) {
	owner := distribution.Block(c.Keys, r.Size())
	if err := apps.MustFit(r, "reduce: the totals", 16*uint64(owner.LocalLen(0)), "give fewer keys"); err != nil {
		return nil, err
	}
	return &bench{
		rank: r, config: c, owner: owner, order: newOrder(c, r.ID()), totals: pebble.HugePages[Total](owner.LocalLen(r.ID())),
	}, nil
}

// firstKey is the first key of this rank, if it has any.
func (b *bench) firstKey() uint64 { return b.owner.Key(b.rank.ID(), 0) }

// kernel sends all items, in one epoch.
func (b *bench) kernel() error {
	switch b.config.Kind {
	case "count":
		return flood(b, counts())
	case "max":
		return flood(b, maxima())
	case "distinct":
		return flood(b, distincts())
	case "concatenate":
		return flood(b, lists())
	default:
		return flood(b, sums())
	}
}

const (
	batch         = 512     // items that are sent at a time
	progressEvery = 1 << 16 // items that rank 0 sends between two words of progress: some milliseconds
)

// flood sends all items of this rank as pebbles of one kind.
func flood[V any](b *bench, f flow[V]) error {
	first := b.firstKey()
	t := target.New(b.rank, b.config.Kind, b.owner, target.Keys(f.keys),
		target.Batch(func(vs []V) {
			astray, marks := f.add(b.totals, first, vs)
			b.tally.Handled += uint64(len(vs))
			b.tally.Misplaced += astray
			b.tally.Sum -= marks
		}),
		append(b.config.cache(), target.Reduce(f.reduction))...)
	return b.rank.Epoch(func() error {
		total := b.config.Items
		b.tally.Sent = total
		numbers, vs := make([]uint64, min(batch, total)), make([]V, min(batch, total))
		for sent := uint64(0); sent < total; {
			n := min(batch, total-sent)
			b.order.fill(numbers[:n], sent)
			f.make(vs[:n], numbers[:n], b.config.Keys)
			t.SendAll(vs[:n])
			apps.Progress(b.config.Progress).Passed(b.rank, progressEvery, sent, sent+n, total)
			sent += n
		}
		return nil
	}, pebble.Depth(1))
}
