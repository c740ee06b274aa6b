package ping

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Run runs the streams on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers one target. The result is complete on every rank. Streams that came with other messages than
// were sent are counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b := newBench(r, c.withDefaults())
	result := b.result()
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel(), Rate: result.rate, Judge: func() error { return b.judge(&result) },
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank     *pebble.Rank
	config   Config
	contents contents
	streams  streams
	tally    apps.Tally
	sum      uint64 // of all words that came
}

func newBench(r *pebble.Rank, c Config) *bench {
	return &bench{rank: r, config: c, contents: contents{c.Seed}, streams: streams{r.Size()}}
}

// streams says who sends to whom: the ranks of the first half of a job to those of the second. Of an odd number, the
// one in the middle has no part; a rank that is alone sends to itself.
type streams struct{ ranks int }

func (s streams) count() int { return max(1, s.ranks/2) }

// from is the rank that a rank sends to.
func (s streams) from(rank int) (to int, sends bool) {
	return s.ranks - s.count() + rank, rank < s.count()
}

// to reports whether a rank is sent to.
func (s streams) to(rank int) bool { return rank >= s.ranks-s.count() }

// kernel registers the target for messages of the size that was asked for.
func (b *bench) kernel() func() error {
	switch b.config.Bytes {
	case 8:
		return kernel[[1]uint64](b)
	case 16:
		return kernel[[2]uint64](b)
	case 32:
		return kernel[[4]uint64](b)
	case 64:
		return kernel[[8]uint64](b)
	case 128:
		return kernel[[16]uint64](b)
	case 256:
		return kernel[[32]uint64](b)
	case 512:
		return kernel[[64]uint64](b)
	case 1024:
		return kernel[[128]uint64](b)
	case 2048:
		return kernel[[256]uint64](b)
	default:
		return kernel[[512]uint64](b)
	}
}

// chunkBytes is how many bytes of messages are made, and sent, at a time; they stay in the nearest cache.
const chunkBytes = 8 << 10

// kernel makes what is timed: one epoch, in which this rank sends its stream.
func kernel[M message](b *bench) func() error {
	self := uint64(b.rank.ID())
	t := target.New(b.rank, "message", distribution.Ranks(b.rank.Size()), target.Keys(func(ms []M, keys []uint64) {
		keys = keys[:len(ms)]
		for i := range ms {
			keys[i] = ms[i][0] & (1<<rankBits - 1)
		}
	}), target.Batch(func(ms []M) {
		sum := uint64(0)
		for i := range ms {
			m := &ms[i]
			b.tally.Take(0, (*m)[0]&(1<<rankBits-1) == self)
			for w := range len(*m) {
				sum += (*m)[w]
			}
		}
		b.sum += sum
	}))
	return func() error {
		return b.rank.Epoch(func() error {
			if to, sends := b.streams.from(b.rank.ID()); sends {
				stream(b, t.SendAll, uint64(to))
			}
			return nil
		}, pebble.Depth(1))
	}
}

// stream sends this rank's messages.
func stream[M message](b *bench, sendAll func(ms []M), to uint64) {
	ms := make([]M, max(1, chunkBytes/b.config.Bytes))
	for number, all := uint64(0), b.config.Messages; number < all; {
		n := min(uint64(len(ms)), all-number)
		fill(ms[:n], b.contents, to, number)
		sendAll(ms[:n])
		number += n
		b.tally.Sent += n
		apps.Progress(b.config.Progress).Passed(b.rank, progressEvery, number-n, number, all)
	}
}

const progressEvery = 1 << 16 // messages that rank 0 sends between two words of progress

// judge adds to the result what is wrong with the stream that came here.
func (b *bench) judge(result *Result) error {
	errors, self := uint64(0), b.rank.ID()
	if b.streams.to(self) && b.sum != b.contents.sum(uint64(self), b.config.Messages, b.config.Bytes/8) || !b.streams.to(self) && b.sum != 0 {
		errors = 1
	}
	if err := result.Found(b.rank, errors, "streams went wrong: the sum of what came is not that of what was sent"); err != nil {
		return err
	}
	return result.Finish(b.rank, b.tally)
}
