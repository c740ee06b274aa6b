// Package reduction is an all-to-one reduction on Active Pebbles for Go. Every rank sends many items to one key, or to
// a few, and pebbles to the same key merge on their way (Active Pebbles, section 3.5). Otherwise all of them arrive at
// the rank that owns the key, and that rank does all of the work.
//
// Items are numbered over all ranks. Rank r has N of them, from rN on, and sends them in a pseudo-random order given by
// the seed. The key of item n is n mod K, and keys lie on the ranks in blocks: key 0 on rank 0. The kind determines the
// total of a key:
//
//	sum          the number of items, and the sum of n+1, by reduce.Combine
//	count        the number of items, in pebbles of 8 bytes, by reduce.Combine
//	max          the largest n+1, by reduce.Best
//	distinct     the set of the 4 values (n/K) mod 4, by reduce.Duplicates
//	concatenate  all n+1, up to 6 in a pebble, by reduce.Concatenate; the owner adds them up
//
// The reduction cache is on here by default. Each key has one slot in it, shared with other keys, so it merges best
// while its entries outnumber the keys. With one key, sum sends a pebble per rank whenever the cache is emptied.
//
// # The proof of the verification
//
// Every number is that of one item, so the total of each key has a closed formula: its numbers are k, k+K, k+2K, and so
// on. The owner of a key computes it without a pebble, and compares. A key whose total differs is an error. Sums are
// taken modulo 2^64; each comes with the count of its items, to notice losses that leave a sum unchanged.
//
// The totals of max and distinct do not depend on every item. So, for all kinds, the number of handled or merged
// pebbles must equal the number of items. If none was merged, the sum of a mark for each pebble has a closed formula as
// well. The check does not see what the reduction itself may do: with a cache, a max that is not the largest of its key
// may be dropped and another arrive twice.
package reduction

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run of the reduction, as described in package apps.
type Config struct {
	apps.Common        // Seed determines the order of the items; Progress counts items that rank 0 has sent
	Kind        string // one of [Kinds]; empty means sum
	Items       uint64 // sent by each rank. 0 means 2^20. Numbers other than powers of two take a little longer to make
	Keys        uint64 // 16 bytes each at its owner. 0 means 1
	// Cache is the size of the reduction cache, in entries. 0 means the job's, or 1,024 if it has none; [NoCache] means
	// none.
	Cache int
	Tuned bool // leaves the size to the job's tuning, which begins with pebble.Config.Cache
}

// NoCache is the size that switches the cache off: every item travels.
const NoCache = -1

// CacheDefault is the default number of entries of the reduction cache.
const CacheDefault = 1024

const (
	itemsMax = 1 << 60 // of the whole job
	keysMax  = 1 << 40
)

// withDefaults completes c for a job with a cache of a given number of entries.
func (c Config) withDefaults(cache int) Config {
	c.Kind = cmp.Or(c.Kind, "sum")
	c.Items = cmp.Or(c.Items, 1<<20)
	c.Keys = cmp.Or(c.Keys, 1)
	c.Cache = cmp.Or(c.Cache, cache, CacheDefault)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults(0)
	switch {
	case !slices.Contains(Kinds(), d.Kind):
		return fmt.Errorf("reduce: %q is not a kind of reduction: use one of %s", c.Kind, strings.Join(Kinds(), ", "))
	case d.Items > itemsMax/uint64(ranks):
		return fmt.Errorf("reduce: %d items on each of %d ranks are too many: give fewer", d.Items, ranks)
	case d.Keys > keysMax:
		return fmt.Errorf("reduce: %d keys: give at most %d", d.Keys, uint64(keysMax))
	case d.Kind == "count" && (d.Keys > countMax || d.Items > countMax/uint64(ranks)):
		return fmt.Errorf("reduce: count is for at most 2^32 keys and as many items in all: give fewer, or use sum")
	case d.Cache < NoCache:
		return fmt.Errorf("reduce: a cache of %d entries: give a positive number, 0 for %d, or NoCache", c.Cache,
			CacheDefault)
	}
	return nil
}

// cache returns the option for the reduction cache: none if tuning chooses its size.
func (c Config) cache() []target.Option {
	if c.Tuned {
		return nil
	}
	return []target.Option{target.Cache(c.entries())}
}

// entries returns the size of the cache, 0 for none.
func (c Config) entries() int { return max(c.Cache, 0) }

// Result is the report of a run of the reduction.
type Result struct {
	apps.Report
	Kind           string  `json:"kind"`
	Keys           uint64  `json:"keys"`
	Items          uint64  `json:"items"` // of all ranks
	ItemsPerSecond float64 `json:"items_per_second"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"items", fmt.Sprint(r.Items)},
		{"keys", fmt.Sprintf("%d, by %s", r.Keys, r.Kind)},
		{"items per second", fmt.Sprintf("%.2f million", r.ItemsPerSecond/1e6)},
		{"merged on the way", fmt.Sprintf("%.2f %%", 100*float64(r.Counters.Merged)/float64(r.Items))},
	}
}

// Run runs the reduction on a job, as described in package apps. It registers one target, named after the kind. The
// result's Errors include keys with a wrong total.
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
	result := Result{
		Report: apps.NewReport(b.rank, "reduce", b.config.Seed),
		Kind:   b.config.Kind, Keys: b.config.Keys, Items: b.config.Items * uint64(b.rank.Size()),
	}
	result.Cache = b.config.entries()
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel,
		Rate:   func() { result.ItemsPerSecond = apps.Rate(float64(result.Items), result.Seconds) },
		Verify: b.verify,
		Wrong:  func() (uint64, string) { return b.errors, "keys have wrong totals" },
		Tally:  &b.tally,
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

// firstKey returns the first key of this rank, if it has any.
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
	batch         = 512     // items sent at a time
	progressEvery = 1 << 16 // items of rank 0 between two reports of progress: some milliseconds
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
			b.config.Progress.Passed(b.rank, progressEvery, sent, sent+n, total)
			sent += n
		}
		return nil
	}, pebble.Depth(1), pebble.Named("count"))
}

// order is the order of the items of a rank: a bijection of their numbers.
type order struct {
	first uint64 // number of the rank's first item
	items uint64
	mask  uint64 // the least 2^n-1 that is not below any of their numbers
	shift uint8  // half of n
	add   uint64
}

func newOrder(c Config, rank int) order {
	n := bits.Len64(c.Items - 1)
	return order{
		first: c.Items * uint64(rank), items: c.Items,
		mask: 1<<n - 1, shift: uint8((n + 1) / 2), add: (c.Seed + uint64(rank)) * 0x9E3779B97F4A7C15,
	}
}

// fill sets numbers to those of the items from the i-th on, in sending order.
func (o order) fill(numbers []uint64, i uint64) {
	for j := range numbers {
		n := o.scramble(i + uint64(j))
		for n >= o.items { // a bijection of a larger set: follow it until it returns to the items
			n = o.scramble(n)
		}
		numbers[j] = o.first + n
	}
}

// scramble is a bijection of [0, mask]: each of its steps is a bijection modulo a power of two.
func (o order) scramble(n uint64) uint64 {
	n = (n*0xD1342543DE82EF95 + o.add) & o.mask
	n ^= n >> (o.shift & 63)
	n = n * 0xAF251AF3B0F025B5 & o.mask
	return n ^ n>>(o.shift&63)
}

// verify counts the keys of this rank whose total differs from the closed formula, and computes the marks of their
// pebbles. It sends nothing.
func (b *bench) verify() error {
	items := b.config.Items * uint64(b.rank.Size())
	b.errors = wrong(b.totals, b.firstKey(), b.config.Keys, items, b.config.Kind)
	for i := range b.totals {
		key := b.firstKey() + uint64(i)
		b.tally.Sum += sequenceOf(key, b.config.Keys, items).marks(b.config.Kind, key)
	}
	return nil
}

func wrong(totals []Total, first, keys, items uint64, kind string) (errors uint64) {
	for i, t := range totals {
		if t != sequenceOf(first+uint64(i), keys, items).total(kind) {
			errors++
		}
	}
	return errors
}

// Serial is the reduction without ranks and pebbles. It returns all totals of a job of this number of ranks.
func Serial(ranks int, c Config) []Total {
	c = c.withDefaults(0)
	totals := make([]Total, c.Keys)
	for n := range c.Items * uint64(ranks) {
		t := &totals[n%c.Keys]
		switch c.Kind {
		case "count":
			t.Count++
		case "max":
			t.Value = max(t.Value, n+1)
		case "distinct":
			t.Value |= 1 << (n / c.Keys % values)
		default:
			t.Count++
			t.Value += n + 1
		}
	}
	return totals
}
