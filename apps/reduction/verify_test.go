package reduction

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// The closed formula says what the serial twin counts.
func TestFormula(t *testing.T) {
	for _, kind := range Kinds() {
		for keys := uint64(1); keys <= 12; keys++ {
			for items := uint64(1); items <= 60; items++ {
				for key, want := range Serial(1, Config{Kind: kind, Items: items, Keys: keys}) {
					require.Equal(t, want, sequenceOf(uint64(key), keys, items).total(kind), "%s of key %d of %d, %d items", kind, key, keys, items)
				}
			}
		}
	}
}

// So does that of the marks of pebbles that were not merged.
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

// Sums wrap as they should.
func TestFormulaOfLargeSums(t *testing.T) {
	for _, s := range []sequence{{0, 1, 1 << 60}, {0, 1, 1<<60 - 1}, {5, 7, 1 << 57}, {1 << 39, 1 << 40, 1<<20 - 1}, {3, 1 << 40, 1}} {
		number := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
		last := number(s.count - 1)
		last.Mul(last, number(s.step)).Add(last, number(s.first))
		sum := new(big.Int).Add(last, number(s.first))
		sum.Mul(sum, number(s.count)).Rsh(sum, 1).Add(sum, number(s.count))
		require.Equal(t, sum.And(sum, number(1<<64-1)).Uint64(), s.sum(), "%+v", s)
	}
}

// All ranks together have every number once, in an order that seeds change.
func TestOrder(t *testing.T) {
	const ranks = 5
	for _, items := range []uint64{1, 2, 64, 77} {
		var all, want []uint64
		for rank := range ranks {
			numbers := make([]uint64, items)
			o := newOrder(Config{Items: items, Seed: 3}, rank)
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

// broken runs a kind on three ranks, with harm done to the totals of one of them after the kernel, and returns what the
// verifier counted.
func broken(t *testing.T, kind string, kernel func(b *bench) error, harm func(totals []Total)) (errors uint64) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
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
		if err := b.verify(); err != nil {
			return err
		}
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

// Joined lists have all values of both, or are left as they were.
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
