package permutation

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Run runs Permutation on a job. Every rank calls it once, between epochs, with the same configuration but for
// Progress. It registers two targets. The result is complete on every rank. Wrong elements are counted in its Errors;
// an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b, err := newBench(r, c.withDefaults())
	if err != nil {
		return Result{}, err
	}
	return b.run()
}

func (b *bench) run() (Result, error) {
	result := b.result()
	err := result.RunPhases(b.rank, apps.Phases{
		Load: b.load, Kernel: b.kernel, Rate: result.rate, Verify: b.verify,
		Judge: func() error { return b.judge(&result) },
	})
	return result, err
}

// judge adds to the result what is wrong with it.
func (b *bench) judge(result *Result) error {
	if err := result.Found(b.rank, b.errors, "elements are not where the seed wants them"); err != nil {
		return err
	}
	return result.Finish(b.rank, apps.Tally{Sent: 2 * b.config.elements(), Handled: b.handled})
}

// element is the pebble of both targets: element Value of data, on its way to the index To of perm or of the result.
type element struct{ To, Value uint64 }

func keys(es []element, keys []uint64) {
	keys = keys[:len(es)]
	for i, e := range es {
		keys[i] = e.To
	}
}

// nowhere is what the result holds where nothing was put down yet.
const nowhere = ^uint64(0)

// bench is one rank's part of a run.
type bench struct {
	rank    *pebble.Rank
	config  Config
	orders  orders
	owner   *distribution.BlockMap
	data    []uint64
	perm    []uint64
	out     []uint64 // the result
	handled uint64   // pebbles, of both targets
	errors  uint64
}

func newBench(r *pebble.Rank, c Config) (*bench, error) {
	if err := apps.MustFit(r, "permutation: the arrays", 3*8*c.elements(), "give fewer elements or ranks"); err != nil {
		return nil, err
	}
	n := c.elements() * uint64(r.Size())
	return &bench{rank: r, config: c, orders: newOrders(n, c.Seed), owner: distribution.Block(n, r.Size())}, nil
}

// load makes this rank's blocks.
func (b *bench) load() error {
	n := b.config.elements()
	b.data, b.perm, b.out = make([]uint64, n), pebble.HugePages[uint64](int(n)), pebble.HugePages[uint64](int(n))
	first := b.first()
	for i := range n {
		b.data[i] = b.orders.dataAt(first + i)
		b.perm[i] = b.orders.permAt(first + i)
		b.out[i] = nowhere
	}
	return nil
}

// first is the first index of this rank.
func (b *bench) first() uint64 { return b.config.elements() * uint64(b.rank.ID()) }

// kernel permutes, in one epoch.
func (b *bench) kernel() error {
	once := target.Reduce(reduce.Duplicates[element]())
	put := target.New(b.rank, "put", b.owner, target.Keys(keys), target.Batch(b.putDown), once)
	permute := target.New(b.rank, "permute", b.owner, target.Keys(keys), target.Batch(func(es []element) {
		b.handled += uint64(len(es))
		readdress(es, b.perm)
		put.SendAll(es)
	}), once)
	return b.rank.Epoch(func() error {
		b.send(permute.SendAll)
		return nil
	}, pebble.Depth(2))
}

// readdress sends elements from indices of perm on to the places that are there. The elements of a rank are a power of
// two, so the low bits of an index are the local index.
func readdress(es []element, perm []uint64) {
	mask := uint64(len(perm) - 1)
	pebble.PrefetchEach(perm, es, func(es []element) {
		for i := range es {
			es[i].To = perm[es[i].To&mask]
		}
	})
}

// putDown is the handler of the result.
func (b *bench) putDown(es []element) {
	out := b.out
	mask := uint64(len(out) - 1)
	pebble.PrefetchEach(out, es, func(es []element) {
		for _, e := range es {
			out[e.To&mask] = e.Value
		}
	})
	b.handled += uint64(len(es))
}

const (
	batch         = 512     // elements that are sent at a time
	progressEvery = 1 << 16 // elements that rank 0 sends between two words of progress: some milliseconds
)

// send sends all elements of this rank on their way.
func (b *bench) send(sendAll func(es []element)) {
	es := make([]element, min(batch, len(b.data)))
	first := b.first()
	for done := 0; done < len(b.data); done += len(es) {
		for i, index := range b.data[done : done+len(es)] {
			es[i] = element{index, first + uint64(done+i)}
		}
		sendAll(es)
		apps.Progress(b.config.Progress).Passed(b.rank, progressEvery, uint64(done), uint64(done+len(es)), b.config.elements())
	}
}
