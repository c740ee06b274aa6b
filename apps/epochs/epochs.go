// Package epochs measures the cost of epochs alone on Active Pebbles for Go: many of them, one after the other. Each
// rank sends no pebble in an epoch, or a few to the rank after it (detection of termination: Active Pebbles, section
// 3.6). The levels of a search of a road map are similar. After each epoch every rank checks that it has handled all
// pebbles sent to it.
package epochs

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run, as described in package apps.
type Config struct {
	apps.Common        // Progress counts completed epochs, in about a hundred calls
	Count       uint64 // number of epochs. 0 means 1,000
	Pebbles     uint64 // sent by each rank in each epoch to the rank after it
}

const pebblesMax = 1 << 56 // of each rank

func (c Config) withDefaults() Config {
	c.Count = cmp.Or(c.Count, 1000)
	return c
}

// Check returns an error if c is invalid.
func (c Config) Check(int) error {
	if c = c.withDefaults(); c.Pebbles > pebblesMax/c.Count {
		return fmt.Errorf("epochs: %d pebbles in each of %d epochs are too many: give fewer", c.Pebbles, c.Count)
	}
	return nil
}

// Result is the report of a run.
type Result struct {
	apps.Report
	Epochs          uint64  `json:"epochs"`
	Pebbles         uint64  `json:"pebbles"` // sent by each rank in each epoch
	SecondsPerEpoch float64 `json:"seconds_per_epoch"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"epochs", fmt.Sprintf("%d, of %d pebbles from each rank", r.Epochs, r.Pebbles)},
		{"time per epoch", fmt.Sprintf("%.3f µs", r.SecondsPerEpoch*1e6)},
	}
}

// Run runs the epochs on a job, as described in package apps. It registers one target. The result's Errors include
// epochs that ended before all of their pebbles were handled.
func Run(r *pebble.Rank, c Config) (result Result, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	b := newBench(r, c.withDefaults())
	result = Result{Report: apps.NewReport(r, "epochs", 0), Epochs: b.config.Count, Pebbles: b.config.Pebbles}
	err = result.RunPhases(r, apps.Phases{
		Kernel: b.kernel,
		Rate:   func() { result.SecondsPerEpoch = result.Seconds / float64(result.Epochs) },
		Wrong: func() (uint64, string) {
			return b.errors, "epochs of a rank ended with other numbers of pebbles than were sent to it"
		},
		Tally: &b.tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	send   func(to uint64)
	tally  apps.Tally
	errors uint64 // epochs that ended too early, or with too many pebbles
}

func newBench(r *pebble.Rank, c Config) *bench {
	b := &bench{rank: r, config: c, tally: apps.Tally{Sent: c.Count * c.Pebbles}}
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
		b.config.Progress.Passed(b.rank, max(1, b.config.Count/100), n, n+1, b.config.Count)
	}
	return nil
}

// body is a rank's part of an epoch.
func (b *bench) body() error {
	to := uint64(b.rank.ID()+1) % uint64(b.rank.Size())
	for range b.config.Pebbles {
		b.send(to)
	}
	return nil
}

// verify compares the number of pebbles handled here with the expected number.
func (b *bench) verify(want uint64) {
	if b.tally.Handled != want {
		b.errors++
	}
}
