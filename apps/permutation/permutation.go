// Package permutation is the Permutation benchmark on Active Pebbles for Go (Active Pebbles, section 4.3). It puts data
// spread over all ranks in the order given by a permutation, which is spread over all ranks too.
//
// Three arrays of N elements lie in blocks on the ranks: data, whose element i is an index into perm; perm, whose
// elements are places; and the result. At the end, for every i in [0, N),
//
//	result[perm[data[i]]] = i
//
// Two handlers do it. Each element i starts as a pebble {data[i], i} to the rank that owns that element of perm. The
// handler there writes perm[data[i]] into it and sends it on, to the rank that owns that place of the result. The
// handler there stores i. Both work on whole batches, in the memory of the received pebbles.
//
// data and perm are pseudo-random permutations that follow from the seed; every rank makes its own block of each. So
// the check needs neither the arrays nor a pebble: it computes each element from the seed. The element of a pebble
// handled at a wrong rank has another place, or lies in another rank's block, so the check covers that too. Handlers
// count their pebbles, two for each element, so none was handled twice. No index occurs twice, so a reduction cache
// finds nothing to merge here, and only adds cost.
package permutation

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run of Permutation, as described in package apps.
type Config struct {
	apps.Common // Seed determines the permutations; Progress counts elements that rank 0 has sent
	// Log2Elements is the binary logarithm of the number of elements of each rank; an element takes 8 bytes in each of
	// three arrays. 0 means 20, 24 MiB.
	Log2Elements int
}

const (
	log2ElementsDefault = 20
	log2ElementsMax     = 36
	elementsMax         = 1 << 60 // of the whole job
)

func (c Config) withDefaults() Config {
	c.Log2Elements = cmp.Or(c.Log2Elements, log2ElementsDefault)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults()
	switch {
	case d.Log2Elements < 0 || d.Log2Elements > log2ElementsMax:
		return fmt.Errorf("permutation: 2^%d elements a rank: give a logarithm from 1 to %d",
			c.Log2Elements, log2ElementsMax)
	case uint64(ranks) > elementsMax>>d.Log2Elements:
		return fmt.Errorf("permutation: 2^%d elements on each of %d ranks are too many: give fewer", d.Log2Elements, ranks)
	}
	return nil
}

// elements returns the number of elements of one rank.
func (c Config) elements() uint64 { return 1 << c.Log2Elements }

// Result is the report of a run of Permutation.
type Result struct {
	apps.Report
	Log2Elements      int     `json:"log2_elements"` // of each rank
	Elements          uint64  `json:"elements"`      // of all ranks
	ElementsPerSecond float64 `json:"elements_per_second"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"elements", fmt.Sprintf("%d, 2^%d a rank", r.Elements, r.Log2Elements)},
		{"elements per second", fmt.Sprintf("%.2f million", r.ElementsPerSecond/1e6)},
	}
}

// Run runs Permutation on a job, as described in package apps. It registers two targets. The result's Errors include
// wrong elements.
func Run(r *pebble.Rank, c Config) (result Result, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	b, err := newBench(r, c.withDefaults())
	if err != nil {
		return result, err
	}
	return b.run(b.verify)
}

func (b *bench) run(verify func() error) (Result, error) {
	result := Result{
		Report:       apps.NewReport(b.rank, "permutation", b.config.Seed),
		Log2Elements: b.config.Log2Elements, Elements: b.owner.Len(),
	}
	err := result.RunPhases(b.rank, apps.Phases{
		Load: b.load, Kernel: b.kernel,
		Rate:   func() { result.ElementsPerSecond = apps.Rate(float64(result.Elements), result.Seconds) },
		Verify: verify,
		Wrong:  func() (uint64, string) { return b.errors, "elements are not where the seed wants them" },
		Tally:  &b.tally,
	})
	return result, err
}

// element is the pebble of both targets: element Value of data, on its way to the index To of perm or of the result.
type element struct{ To, Value uint64 }

func keys(es []element, keys []uint64) {
	keys = keys[:len(es)]
	for i, e := range es {
		keys[i] = e.To
	}
}

// nowhere is the value of the result where nothing has been stored yet.
const nowhere = ^uint64(0)

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	orders orders
	owner  *distribution.BlockMap
	data   []uint64
	perm   []uint64
	out    []uint64   // the result
	tally  apps.Tally // of the pebbles of both targets
	errors uint64
}

func newBench(r *pebble.Rank, c Config) (*bench, error) {
	if err := apps.MustFit(r, "permutation: the arrays", 3*8*c.elements(), "give fewer elements or ranks"); err != nil {
		return nil, err
	}
	n := c.elements() * uint64(r.Size())
	return &bench{
		rank: r, config: c, orders: newOrders(n, c.Seed), owner: distribution.Block(n, r.Size()),
		tally: apps.Tally{Sent: 2 * c.elements()},
	}, nil
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

// first returns the first index of this rank.
func (b *bench) first() uint64 { return b.config.elements() * uint64(b.rank.ID()) }

// kernel permutes, in one epoch.
func (b *bench) kernel() error {
	once := target.Reduce(reduce.Duplicates[element]())
	keying := target.Keys(keys)
	if n := b.owner.Len(); n&(n-1) == 0 {
		keying = target.LowBits[element](bits.Len64(n - 1))
	}
	put := target.New(b.rank, "put", b.owner, keying, target.Batch(b.putDown), once)
	permute := target.New(b.rank, "permute", b.owner, keying, target.Batch(func(es []element) {
		b.tally.Handled += uint64(len(es))
		readdress(es, b.perm)
		put.SendAll(es)
	}), once)
	return b.rank.Epoch(func() error {
		b.send(permute.SendAll)
		return nil
	}, pebble.Depth(2), pebble.Named("permute"))
}

// readdress sends elements at indices of perm on to the places stored there. The number of a rank's elements is a power
// of two, so the low bits of an index are the local index.
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
	b.tally.Handled += uint64(len(es))
}

const (
	batch         = 512     // elements sent at a time
	progressEvery = 1 << 16 // elements of rank 0 between two reports of progress: some milliseconds
)

// send sends all elements of this rank.
func (b *bench) send(sendAll func(es []element)) {
	es := make([]element, min(batch, len(b.data)))
	first := b.first()
	for done := 0; done < len(b.data); done += len(es) {
		for i, index := range b.data[done : done+len(es)] {
			es[i] = element{index, first + uint64(done+i)}
		}
		sendAll(es)
		b.config.Progress.Passed(b.rank, progressEvery, uint64(done), uint64(done+len(es)), b.config.elements())
	}
}

// orders are the two permutations of [0, n) of a seed. They take no memory.
type orders struct {
	data *distribution.ShuffledMap
	perm *distribution.ShuffledMap
}

func newOrders(n, seed uint64) orders {
	return orders{
		// A shuffled distribution deals out its keys in the order of a bijection. One rank gets all of them.
		data: distribution.Shuffled(n, 1, 2*seed),
		perm: distribution.Shuffled(n, 1, 2*seed+1),
	}
}

// dataAt returns data[i].
func (o orders) dataAt(i uint64) uint64 { return uint64(o.data.Local(i)) }

// permAt returns perm[i].
func (o orders) permAt(i uint64) uint64 { return uint64(o.perm.Local(i)) }

// verify counts the elements of this rank's block of the result that are wrong by the seed. It sends nothing, so it
// cannot fail in the same way as the kernel.
func (b *bench) verify() error {
	b.errors = wrong(b.out, b.first(), b.orders)
	return nil
}

// wrong returns the number of wrong elements of a block of the result: those that do not hold the i with perm[data[i]]
// = their place. first is the block's first place. If none is wrong, no i is elsewhere: perm and data are bijections.
func wrong(out []uint64, first uint64, o orders) (errors uint64) {
	n := o.data.Len()
	for place, i := range out {
		if i >= n || o.permAt(o.dataAt(i)) != first+uint64(place) {
			errors++
		}
	}
	return errors
}

// Serial is Permutation without ranks and pebbles. It returns the whole result of a job of this number of ranks.
func Serial(ranks int, c Config) []uint64 {
	c = c.withDefaults()
	n := c.elements() * uint64(ranks)
	o := newOrders(n, c.Seed)
	data, perm, out := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i := range n {
		data[i], perm[i] = o.dataAt(i), o.permAt(i)
	}
	for i := range n {
		out[perm[data[i]]] = i
	}
	return out
}
