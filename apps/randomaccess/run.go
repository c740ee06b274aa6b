package randomaccess

import (
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Run runs RandomAccess on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers two targets. The result is complete on every rank. Wrong words are counted in its Errors; an
// error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b, err := newBench(r, c.withDefaults())
	if err != nil {
		return Result{}, err
	}
	result := b.result()
	err = result.RunPhases(r, apps.Phases{
		Load: b.load, Kernel: b.kernel, Rate: result.rate, Verify: b.verify,
		Judge: func() error {
			result.Checksum = digits(b.checksum)
			return b.judge(&result)
		},
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank     *pebble.Rank
	config   Config
	words    words
	owner    *distribution.BlockMap
	quota    quota
	table    []uint64
	rans     []uint64 // the batch that is being generated
	sent     uint64   // updates, for Progress
	first    uint64   // word of this rank
	updated  apps.Tally
	undone   apps.Tally
	checksum uint64
	errors   uint64 // words that are wrong
	isAstray bool   // the XOR over the table was another than that of the stream
}

func newBench(r *pebble.Rank, c Config) (*bench, error) {
	w := words{total: c.words() * uint64(r.Size()), own: c.words()}
	if err := apps.MustFit(r, "randomaccess: the tables", 8*w.own, "give fewer words or ranks"); err != nil {
		return nil, err
	}
	job := r.Config()
	mine := len(job.Topology(r.Size()).Neighbors(r.ID()))
	most, err := pebble.AllReduce(r, mine, func(a, b int) int { return max(a, b) })
	if err != nil {
		return nil, err
	}
	asked := c.Coalesce
	if c.Tuned {
		asked = job.Coalesce
	}
	q := share(most, job.Cache, asked, job.Coalesce)
	return &bench{
		rank: r, config: c, words: w, owner: distribution.Block(w.total, r.Size()), quota: q,
		rans: make([]uint64, q.batch), first: w.own * uint64(r.ID()),
		updated: apps.Tally{Sent: c.updates()}, undone: apps.Tally{Sent: c.updates()},
	}, nil
}

// load makes this rank's part of the table.
func (b *bench) load() error {
	b.table = pebble.HugePages[uint64](int(b.words.own))
	for i := range b.table {
		b.table[i] = b.first + uint64(i)
	}
	return nil
}

// kernel applies all updates once.
func (b *bench) kernel() error {
	if b.rank.Config().Cache > 0 {
		return b.passes(b.mergedUpdates())
	}
	return b.passes(b.updates("update", b.count, b.factor()...))
}

// count notes updates that the kernel's handler is given.
func (b *bench) count(rans []uint64) { b.updated.Handled += uint64(len(rans)) }

// factor is the option for the coalescing factor: none when tuning is to find it.
func (b *bench) factor() []target.Option {
	if b.config.Tuned {
		return nil
	}
	return []target.Option{target.Coalesce(b.quota.factor)}
}

// updates registers a target whose pebbles are numbers of the stream, and returns the way to send to it. Its handler
// lets look see them first.
func (b *bench) updates(name string, look func(rans []uint64), options ...target.Option) (send func(rans []uint64)) {
	keys := target.Keys(b.words.keys)
	if b.words.lowBits() {
		keys = target.LowBits[uint64](bits.Len64(b.words.total - 1))
	}
	t := target.New(b.rank, name, b.owner, keys,
		target.Batch(func(rans []uint64) {
			look(rans)
			b.words.apply(b.table, rans)
		}), options...)
	if b.config.OneByOne {
		return func(rans []uint64) {
			for _, ran := range rans {
				t.Send(ran)
			}
		}
	}
	return t.SendAll
}

// mergedUpdates registers a target whose pebbles can be merged, and returns the way to send to it.
func (b *bench) mergedUpdates() (send func(rans []uint64)) {
	t := target.New(b.rank, "update", b.owner, target.Keys(updateKeys),
		target.Batch(func(us []update) {
			b.updated.Handled += uint64(len(us))
			applyUpdates(b.table, us)
		}),
		append(b.factor(), target.Reduce(reduce.Combine(merge)))...)
	us := make([]update, b.quota.batch)
	return func(rans []uint64) {
		for i, ran := range rans {
			us[i] = update{b.words.key(ran), ran}
		}
		t.SendAll(us[:len(rans)])
	}
}

// progressEvery is how many updates rank 0 sends between two words of progress: some milliseconds.
const progressEvery = 1 << 16

// passes sends all updates of this rank, in as many epochs as the configuration asks for.
func (b *bench) passes(send func(rans []uint64)) error {
	if b.config.Epoch == 0 {
		return b.pass(send)
	}
	ran, each := b.start(), uint64(b.config.Epoch)
	for left := b.config.updates(); left > 0; left -= min(left, each) {
		if err := b.epoch(func() { ran = b.part(send, ran, min(left, each)) }); err != nil {
			return err
		}
	}
	return nil
}

// pass sends all updates of this rank, in one epoch.
func (b *bench) pass(send func(rans []uint64), options ...pebble.EpochOption) error {
	return b.epoch(func() { b.part(send, b.start(), b.config.updates()) }, options...)
}

// epoch is an epoch whose handlers send nothing.
func (b *bench) epoch(body func(), options ...pebble.EpochOption) error {
	return b.rank.Epoch(func() error {
		body()
		return nil
	}, append(options, pebble.Depth(1))...)
}

// start is the first number of this rank's part of the stream.
func (b *bench) start() uint64 { return number(uint64(b.rank.ID()) * b.config.updates()) }

// part sends n updates, the first of which is a number of the stream, and returns the number after the last.
func (b *bench) part(send func(rans []uint64), ran, n uint64) uint64 {
	for left := n; left > 0; {
		rans := b.rans[:min(left, uint64(len(b.rans)))]
		ran = fill(rans, ran)
		send(rans)
		left -= uint64(len(rans))
		b.sent += uint64(len(rans))
		apps.Progress(b.config.Progress).Passed(b.rank, progressEvery, b.sent-uint64(len(rans)), b.sent, 2*b.config.updates())
	}
	return ran
}
