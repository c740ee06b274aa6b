package alltoall

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Run runs the all-to-all on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers one target. The result is complete on every rank. Items that are lost, damaged or came twice
// are counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	return newBench(r, c.withDefaults(r.Size())).run()
}

func (b *bench) run() (Result, error) {
	result := b.result()
	var faults Faults
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel, Rate: result.rate,
		Verify: func() error { faults = b.inbox.faults(); return nil },
		Judge:  func() error { return b.judge(&result, faults) },
	})
	return result, err
}

// judge adds to the result what is wrong with it.
func (b *bench) judge(result *Result, faults Faults) (err error) {
	if result.Faults, err = pebble.AllReduce(b.rank, faults, Faults.add); err != nil {
		return err
	}
	if err := result.Found(b.rank, faults.errors(), "items went wrong: "+result.text()); err != nil {
		return err
	}
	return result.Finish(b.rank, apps.Tally{Sent: b.items(), Handled: b.inbox.handled, Misplaced: b.inbox.astray})
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	owner  *distribution.BlockMap // key k is rank k
	inbox  *inbox
}

func newBench(r *pebble.Rank, c Config) *bench {
	return &bench{
		rank: r, config: c, owner: distribution.Ranks(r.Size()),
		inbox: newInbox(pattern{c.Seed}, r.ID(), r.Size(), c.Rounds),
	}
}

// kernel sends all items, in one epoch.
func (b *bench) kernel() error {
	send := b.sender()
	return b.rank.Epoch(func() error {
		send()
		return nil
	}, pebble.Depth(1))
}

// sender registers the target for items of the size that was asked for.
func (b *bench) sender() (send func()) {
	switch b.config.Bytes {
	case 8:
		return plain[[1]uint64](b)
	case 16:
		return plain[[2]uint64](b)
	case 32:
		return plain[[4]uint64](b)
	case 64:
		return plain[[8]uint64](b)
	default:
		return b.coded()
	}
}

// items is how many items this rank sends.
func (b *bench) items() uint64 { return uint64(b.rank.Size()-1) * b.config.Rounds }

const (
	batch         = 256     // items that are sent at a time
	progressEvery = 1 << 12 // items that rank 0 sends between two words of progress
)

// stream sends all items of this rank, which fill makes.
func stream[V any](b *bench, sendAll func(vs []V), fill func(vs []V, c *course)) {
	c := newCourse(b.rank.ID(), b.rank.Size())
	total := b.items()
	vs := make([]V, min(batch, total))
	for sent := uint64(0); sent < total; {
		n := min(batch, total-sent)
		fill(vs[:n], &c)
		sendAll(vs[:n])
		apps.Progress(b.config.Progress).Passed(b.rank, progressEvery, sent, sent+n, total)
		sent += n
	}
}
