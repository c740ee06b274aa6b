package epochs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Run runs the epochs on a job. Every rank calls it once, between epochs, with the same configuration but for Progress.
// It registers one target. The result is complete on every rank. Epochs that ended before all of their pebbles were
// handled are counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	b := newBench(r, c.withDefaults())
	result := Result{Report: apps.NewReport(r, "epochs", 0), Epochs: b.config.Count, Pebbles: b.config.Pebbles}
	err := result.RunPhases(r, apps.Phases{
		Kernel: b.kernel,
		Rate:   func() { result.SecondsPerEpoch = result.Seconds / float64(result.Epochs) },
		Judge: func() error {
			wrong := "epochs of a rank ended with other numbers of pebbles than were sent to it"
			if err := result.Found(r, b.errors, wrong); err != nil {
				return err
			}
			return result.Finish(r, b.tally)
		},
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	send   func(to uint64)
	tally  apps.Tally
	errors uint64 // epochs that ended too early, or brought too much
}

func newBench(r *pebble.Rank, c Config) *bench {
	b := &bench{rank: r, config: c}
	b.tally.Sent = c.Count * c.Pebbles
	self := uint64(r.ID())
	next := target.New(r, "next", distribution.Cyclic(uint64(r.Size()), r.Size()),
		target.Key(func(to uint64) uint64 { return to }), target.Each(func(to uint64) { b.tally.Take(0, to == self) }))
	b.send = next.Send
	return b
}

func (b *bench) kernel() error {
	for n := range b.config.Count {
		if err := b.rank.Epoch(b.body, pebble.Depth(1)); err != nil {
			return err
		}
		b.verify((n + 1) * b.config.Pebbles)
		apps.Progress(b.config.Progress).Passed(b.rank, max(1, b.config.Count/100), n, n+1, b.config.Count)
	}
	return nil
}

// body is what each rank does in an epoch.
func (b *bench) body() error {
	to := uint64(b.rank.ID()+1) % uint64(b.rank.Size())
	for range b.config.Pebbles {
		b.send(to)
	}
	return nil
}

// verify compares what was handled here with what must have been by now.
func (b *bench) verify(want uint64) {
	if b.tally.Handled != want {
		b.errors++
	}
}
