package reduction

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The totals equal those of the serial twin under every shape of the network, for one key, a few, and more keys than a
// small cache has entries or than there are items. Kinds take turns, and each runs with every cache.
func TestEveryShape(t *testing.T) {
	keys := []uint64{1, 5, 40, 100, 1000}
	turns, met := map[int]int{}, map[string]bool{}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		n := turns[s.Cache]
		c := Config{Kind: Kinds()[n%len(Kinds())], Items: 50, Keys: keys[(n+n/len(keys))%len(keys)],
			Common: apps.Common{Seed: 7}}
		turns[s.Cache]++
		met[fmt.Sprint(c.Kind, s.Cache)] = true
		if s.Cache == 0 {
			c.Cache = NoCache
		}
		got := make([]Total, c.Keys)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			b := appstest.Must(newBench(r, c.withDefaults(r.Config().Cache)))
			result := appstest.Must(b.run())
			if len(b.totals) > 0 {
				copy(got[b.firstKey():], b.totals)
			}
			require.Zero(t, result.Errors)
			require.EqualValues(t, 50*s.Ranks, result.Items)
			require.Equal(t, result.Items, result.Counters.PebblesSent)
			require.Equal(t, result.Items, result.Counters.PebblesHandled+result.Counters.Merged)
			require.Equal(t, s.Cache, result.Cache)
			if s.Cache == 0 {
				require.Zero(t, result.Counters.Merged)
			}
			return nil
		}))
		require.Equal(t, Serial(s.Ranks, c), got, c.Kind)
	})
	require.Len(t, met, 3*len(Kinds()))
}

// With one key, all but a few items of ranks other than the owner are merged on the way. A cache is emptied at most
// once in 1,024 sends.
func TestMergesOnTheWay(t *testing.T) {
	const ranks, items = 4, 1 << 15
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for cache, least := range map[int]float64{0: 0.99, 64: 0.99, NoCache: 0} {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: topology}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := Run(r, Config{Items: items, Cache: cache})
				require.Zero(t, got.Errors)
				require.GreaterOrEqual(t, float64(got.Counters.Merged), least*(ranks-1)*items)
				require.LessOrEqual(t, got.Counters.Merged, uint64((ranks-1)*items))
				require.Equal(t, map[int]int{0: 1024, 64: 64, NoCache: 0}[cache], got.Cache)
				return err
			}))
		}
	}
}

// The cache is the job's, if it has one, unless the run sets another.
func TestWhichCache(t *testing.T) {
	for _, c := range []struct{ job, own, want int }{
		{0, 0, 1024}, {16, 0, 16}, {16, 32, 32}, {16, NoCache, 0}, {0, NoCache, 0}, {0, 32, 32},
	} {
		require.Equal(t, c.want, Config{Cache: c.own}.withDefaults(c.job).entries())
	}
}

func TestProgressGoesUp(t *testing.T) {
	seen := appstest.Told(t, 2, 1<<18, func(r *pebble.Rank, told apps.Progress) error {
		return appstest.Once(Run, Config{Items: 1 << 18, Common: apps.Common{Progress: told}})(r)
	})
	require.Equal(t, []uint64{1 << 16, 2 << 16, 3 << 16, 4 << 16}, seen)
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Kind: "product"}, {Items: 1 << 59}, {Keys: 1<<40 + 1}, {Cache: -2}} {
		require.ErrorContains(t, c.Check(4), "reduce: ", "%+v", c)
	}
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Items: 1 << 58, Keys: 1 << 40, Cache: NoCache, Kind: "max"}.Check(4))
}

// The closed formula agrees with the counts of the serial twin.
func TestFormula(t *testing.T) {
	for _, kind := range Kinds() {
		for keys := uint64(1); keys <= 12; keys++ {
			for items := uint64(1); items <= 60; items++ {
				for key, want := range Serial(1, Config{Kind: kind, Items: items, Keys: keys}) {
					require.Equal(t, want, sequenceOf(uint64(key), keys, items).total(kind), "%s of key %d of %d, %d items", kind,
						key, keys, items)
				}
			}
		}
	}
}

// So does the formula for the marks of pebbles that were not merged.
func TestFormulaOfMarks(t *testing.T) {
	flows := map[string]flow[candidate]{"max": maxima(), "distinct": distincts()}
	for kind, f := range flows {
		for keys := uint64(1); keys <= 12; keys++ {
			for items := uint64(1); items <= 60; items++ {
				var numbers []uint64
				for n := range items {
					numbers = append(numbers, n)
				}
				cs := make([]candidate, items)
				f.make(cs, numbers, keys)
				astray, got := f.add(make([]Total, keys), 0, cs)
				require.Zero(t, astray)
				want := uint64(0)
				for key := range keys {
					want += sequenceOf(key, keys, items).marks(kind, key)
				}
				require.Equal(t, want, got, "%s of %d keys, %d items", kind, keys, items)
			}
		}
	}
}

// Pebbles for keys of other ranks are counted, and change nothing.
func TestAstray(t *testing.T) {
	astray[part](t, sums())
	astray[tally](t, counts())
	astray[candidate](t, maxima())
	astray[candidate](t, distincts())
	astray[list](t, lists())
}

func astray[V any](t *testing.T, f flow[V]) {
	vs := make([]V, 9)
	f.make(vs, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 9)
	totals := make([]Total, 3)
	n, _ := f.add(totals, 3, slices.Concat(vs[:3], vs[6:]))
	require.EqualValues(t, 6, n)
	require.Equal(t, make([]Total, 3), totals)
	n, _ = f.add(totals, 3, vs)
	require.EqualValues(t, 6, n)
	require.NotContains(t, totals, Total{})
}

// Sums wrap as defined.
func TestFormulaOfLargeSums(t *testing.T) {
	for _, s := range []sequence{{0, 1, 1 << 60}, {0, 1, 1<<60 - 1}, {5, 7, 1 << 57}, {1 << 39, 1 << 40, 1<<20 - 1}, {3,
		1 << 40, 1}} {
		number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
		last := number(s.count - 1)
		last.Mul(last, number(s.step)).Add(last, number(s.first))
		sum := new(big.Int).Add(last, number(s.first))
		sum.Mul(sum, number(s.count)).Rsh(sum, 1).Add(sum, number(s.count))
		require.Equal(t, sum.And(sum, number(1<<64-1)).Uint64(), s.sum(), "%+v", s)
	}
}

// All ranks together have every number once, in an order that depends on the seed.
func TestOrder(t *testing.T) {
	const ranks = 5
	for _, items := range []uint64{1, 2, 64, 77} {
		var all, want []uint64
		for rank := range ranks {
			numbers := make([]uint64, items)
			o := newOrder(Config{Items: items, Common: apps.Common{Seed: 3}}, rank)
			o.fill(numbers[:items/2], 0)
			o.fill(numbers[items/2:], items/2)
			all = append(all, numbers...)
		}
		for n := range ranks * items {
			want = append(want, n)
		}
		if items > 2 {
			require.NotEqual(t, want, all)
		}
		slices.Sort(all)
		require.Equal(t, want, all)
	}
}

// broken runs a kind on three ranks, changes the totals of one of them by harm after the kernel, and returns the
// verifier's count.
func broken(t *testing.T, kind string, kernel func(b *bench) error, harm func(totals []Total)) (errors uint64) {
	s := appstest.Mem(3)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b, err := newBench(r, Config{Kind: kind, Items: 50, Keys: 9}.withDefaults(0))
		if err == nil {
			err = kernel(b)
		}
		if err != nil {
			return err
		}
		if r.ID() == 1 {
			harm(b.totals)
		}
		require.NoError(t, b.verify())
		sum, err := apps.Sum(r, b.errors)
		if r.ID() == 0 {
			errors = sum
		}
		return err
	}))
	return errors
}

func TestVerifierNotices(t *testing.T) {
	for _, kind := range Kinds() {
		spoil := func(harm func(totals []Total)) uint64 { return broken(t, kind, (*bench).kernel, harm) }
		require.Zero(t, spoil(func([]Total) {}))
		for i := range 3 {
			require.EqualValues(t, 1, spoil(func(totals []Total) { totals[i] = Total{} }), "%s: key %d has nothing", kind, i)
			require.EqualValues(t, 1, spoil(func(totals []Total) { totals[i].Value ^= 1 }), "%s: key %d", kind, i)
			require.EqualValues(t, 1, spoil(func(totals []Total) { totals[i].Count++ }), "%s: count of key %d", kind, i)
		}
		require.EqualValues(t, 3, spoil(func(totals []Total) { clear(totals) }), kind)
	}
}

// Items that are lost, sent twice or sent to another key make their keys' totals wrong.
func TestVerifierNoticesItems(t *testing.T) {
	for name, harm := range map[string]struct {
		do     func(ps []part)
		errors uint64
	}{
		"lost":    {func(ps []part) { ps[7].Count, ps[7].Sum = 0, 0 }, 1},
		"twice":   {func(ps []part) { ps[7].Count, ps[7].Sum = 2, 2*ps[7].Sum }, 1},
		"changed": {func(ps []part) { ps[7].Sum++ }, 1},
		"astray":  {func(ps []part) { ps[7].Key = (ps[7].Key + 1) % 9 }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, harm.errors, broken(t, "sum", func(b *bench) error {
				f := sums()
				whole := f.make
				f.make = func(ps []part, numbers []uint64, keys uint64) {
					whole(ps, numbers, keys)
					if b.rank.ID() == 2 {
						harm.do(ps)
					}
				}
				return flood(b, f)
			}, func([]Total) {}))
		})
	}
}

// Joined lists have all values of both, or are unchanged.
func TestJoin(t *testing.T) {
	of := func(values ...uint64) list {
		l := list{Key: 9, Count: uint64(len(values))}
		copy(l.Values[:], values)
		return l
	}
	values := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for held := 1; held <= listMost; held++ {
		for next := 1; next <= listMost; next++ {
			got, ok := join(of(values[:held]...), of(values[held:held+next]...))
			require.Equal(t, held+next <= listMost, ok)
			if ok {
				require.Equal(t, of(values[:held+next]...), got)
			}
		}
	}
}

func ExampleSerial() {
	for _, kind := range Kinds() {
		fmt.Println(kind, Serial(2, Config{Kind: kind, Items: 3, Keys: 2}))
	}
	// Output:
	// sum [{3 9} {3 12}]
	// count [{3 0} {3 0}]
	// max [{0 5} {0 6}]
	// distinct [{0 7} {0 7}]
	// concatenate [{3 9} {3 12}]
}

// A run of many items allocates about as much as a run of few.
func TestNoAllocationPerItem(t *testing.T) {
	for _, kind := range Kinds() {
		for _, cache := range []int{NoCache, 64} {
			appstest.SameMallocs(t, 0, 4*7<<12,
				appstest.Once(Run, Config{Kind: kind, Items: 1 << 12, Keys: 100, Cache: cache}),
				appstest.Once(Run, Config{Kind: kind, Items: 1 << 15, Keys: 100, Cache: cache}))
		}
	}
}
