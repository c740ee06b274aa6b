package container_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// operationsVariable says how many random operations TestManyOperations does on each container, 30000 without it.
const operationsVariable = "PEBBLES_OPERATIONS"

// tried is a container beside its twin, which is of this rank's keys where there are any.
type tried struct {
	do, twin func(key, what int, number uint64)
	same     func() error
	clear    func() error
}

// Containers are Go's maps and slices after each of many rounds of random operations, by all ranks at a time. Each
// round draws from another number of keys.
func TestManyOperations(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(operationsVariable), "30000"))
	require.NoError(t, err, "%s: give a number", operationsVariable)
	seed := seeds.Of(t)
	number := func(i int) uint64 { return uint64(i) }
	for name, open := range map[string]func(r *pebble.Rank) tried{
		"map of numbers": func(r *pebble.Rank) tried { return triedMap(r, number) },
		"map of words":   func(r *pebble.Rank) tried { return triedMap(r, words) },
		"counter":        triedCounter,
		"set":            triedSet,
		"multimap":       triedMultiMap,
		"bag":            triedBag,
		"disjoint sets":  triedSets,
		"table":          triedTable,
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				return manyOperations(r, n, seed, open(r))
			}))
		})
	}
}

func manyOperations(r *pebble.Rank, n int, seed uint64, c tried) error {
	const most = 20_000 // of a round
	for round := uint64(0); n > 0; round++ {
		random := rand.New(rand.NewPCG(seed, round))
		some, keys := min(n, 1+random.IntN(most)), 1<<random.IntN(15)
		n -= some
		if random.IntN(8) == 0 {
			if err := c.clear(); err != nil {
				return err
			}
		}
		each := func(rank int, do func(key, what int, number uint64)) {
			random := rand.New(rand.NewPCG(seed+uint64(rank)+1, round))
			for range some/r.Size() + 1 {
				key, number := random.IntN(keys), random.Uint64()
				// All operations of a round on one key do the same, so that their order does not matter.
				common := rand.NewPCG(seed+round, uint64(key))
				what := int(common.Uint64() % kindsOfChanges)
				if what < kindsOfPuts {
					number = common.Uint64()
				}
				do(key, what, number)
			}
		}
		for rank := range r.Size() {
			each(rank, c.twin)
		}
		err := r.Epoch(func() error {
			each(r.ID(), c.do)
			return nil
		})
		if err = errors.Join(err, c.same()); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

const (
	kindsOfPuts    = 2
	kindsOfChanges = 6
)

// entriesAre compares the entries of a rank with those of a map.
func entriesAre[K comparable, V comparable](local func(yield func(K, V) bool), want map[K]V) error {
	n := 0
	for k, v := range local {
		if w, there := want[k]; !there || v != w {
			return fmt.Errorf("%v is %v in place of %v (%v)", k, v, w, there)
		}
		n++
	}
	if n != len(want) {
		return fmt.Errorf("%d entries in place of %d", n, len(want))
	}
	return nil
}

func triedMap[K comparable](r *pebble.Rank, key func(i int) K) tried {
	m, twin := container.NewMap[K, uint64](r, "map"), map[K]uint64{}
	visit := container.NewVisitor(m, "visit", func(_ K, v *uint64, n uint64) { *v += n })
	find := container.NewFinder(m, "find", func(_ K, v *uint64, n uint64) { *v += n })
	sum := m.NewReducer("sum", pebble.Sum)
	return tried{do: func(i, what int, n uint64) {
		k := key(i)
		[kindsOfChanges]func(){func() { m.Put(k, n) }, func() { m.Insert(k, n) }, func() { m.Delete(k) },
			func() { visit.Send(k, n) }, func() { find.Send(k, n) }, func() { sum.Reduce(k, n) }}[what]()
	}, twin: func(i, what int, n uint64) {
		k := key(i)
		if m.Owner(k) != r.ID() {
			return
		}
		v, there := twin[k]
		switch {
		case what == 0, what == 1 && !there:
			twin[k] = n
		case what == 2:
			delete(twin, k)
		case what == 3, what == 4 && there, what == 5:
			twin[k] = v + n
		}
	}, same: func() error { return entriesAre(m.LocalAll(), twin) }, clear: func() error {
		clear(twin)
		return m.Clear()
	}}
}

func triedCounter(r *pebble.Rank) tried {
	c, twin := container.NewCounter[uint64](r, "counter"), map[uint64]uint64{}
	return tried{do: func(i, _ int, n uint64) { c.Add(uint64(i), n) }, twin: func(i, _ int, n uint64) {
		if k := uint64(i); c.Owner(k) == r.ID() {
			twin[k] += n
		}
	}, same: func() error { return entriesAre(c.LocalAll(), twin) }, clear: func() error {
		clear(twin)
		return c.Clear()
	}}
}

func triedSet(r *pebble.Rank) tried {
	s, twin := container.NewSet[uint64](r, "set"), map[uint64]struct{}{}
	return tried{do: func(i, what int, _ uint64) {
		if k := uint64(i); what < 3 {
			s.Delete(k)
		} else {
			s.Insert(k)
		}
	}, twin: func(i, what int, _ uint64) {
		switch k := uint64(i); {
		case s.Owner(k) != r.ID():
		case what < 3:
			delete(twin, k)
		default:
			twin[k] = struct{}{}
		}
	}, same: func() error { return entriesAre(s.LocalAll(), twin) }, clear: func() error {
		clear(twin)
		return s.Clear()
	}}
}

func triedMultiMap(r *pebble.Rank) tried {
	m, twin := container.NewMultiMap[uint64, uint64](r, "multimap"), map[uint64][]uint64{}
	return tried{do: func(i, what int, n uint64) {
		if k := uint64(i); what < 2 {
			m.Delete(k)
		} else {
			m.Add(k, n)
		}
	}, twin: func(i, what int, n uint64) {
		switch k := uint64(i); {
		case m.Owner(k) != r.ID():
		case what < 2:
			delete(twin, k)
		default:
			twin[k] = append(twin[k], n)
		}
	}, same: func() error {
		n := 0
		for k, vs := range m.LocalGroups() {
			if n += len(vs); !slices.Equal(slices.Sorted(slices.Values(vs)), slices.Sorted(slices.Values(twin[k]))) {
				return fmt.Errorf("%d has %d values in place of %d, or others", k, len(vs), len(twin[k]))
			}
		}
		for _, vs := range twin {
			n -= len(vs)
		}
		if n != 0 {
			return fmt.Errorf("%d values too many", n)
		}
		return nil
	}, clear: func() error {
		clear(twin)
		return m.Clear()
	}}
}

// sameOfAll compares what all ranks have, in order, with a slice.
func sameOfAll(r *pebble.Rank, mine, want []uint64) error {
	all, err := pebble.AllGatherSlice(r, mine)
	if got := slices.Concat(all...); err == nil && !slices.Equal(got, want) {
		return fmt.Errorf("%d elements in place of %d, or others", len(got), len(want))
	}
	return err
}

func triedBag(r *pebble.Rank) tried {
	b, twin := container.NewBag[uint64](r, "bag"), []uint64(nil)
	return tried{do: func(_, _ int, n uint64) { b.Add(n) }, twin: func(_, _ int, n uint64) { twin = append(twin, n) },
		same: func() error {
			if err := b.Balance(); err != nil {
				return err
			}
			all, err := pebble.AllGatherSlice(r, b.LocalSlice())
			got := slices.Sorted(slices.Values(slices.Concat(all...)))
			if slices.Sort(twin); err == nil && !slices.Equal(got, twin) {
				return fmt.Errorf("%d elements in place of %d, or others", len(got), len(twin))
			}
			twin = nil
			return errors.Join(err, b.Clear())
		}, clear: b.Clear}
}

func triedTable(r *pebble.Rank) tried {
	table, twin := container.NewTable[uint64](r, "table", container.Space{Memory: 1 << 16, Scratch: ""}), []uint64(nil)
	value := func(i, what int, n uint64) uint64 { return cmp.Or(n*uint64(min(1, what)), uint64(i)) } // some are equal
	return tried{do: func(i, what int, n uint64) { table.Add(value(i, what, n)) },
		twin: func(i, what int, n uint64) { twin = append(twin, value(i, what, n)) },
		same: func() error {
			if err := container.Sort(table); err != nil {
				return err
			}
			slices.Sort(twin)
			var mine []uint64
			for _, row := range table.LocalAll() {
				mine = append(mine, row)
			}
			err := sameOfAll(r, mine, twin)
			if len(twin) > 1<<16 {
				twin = nil
				err = errors.Join(err, table.Clear())
			}
			return err
		}, clear: func() error {
			twin = nil
			return table.Clear()
		}}
}

func triedSets(r *pebble.Rank) tried {
	joined := 0
	d, twin := container.NewDisjointSets(r, "sets", func(uint64, uint64) { joined++ }), map[uint64]uint64{}
	root := func(k uint64) uint64 {
		if _, there := twin[k]; !there {
			twin[k] = k
		}
		for twin[k] != k {
			twin[k], k = twin[twin[k]], twin[k]
		}
		return k
	}
	other := func(i int, n uint64) (uint64, uint64) { return uint64(i), uint64(i) + n%3*n%7 }
	return tried{do: func(i, _ int, n uint64) { d.Union(other(i, n)) }, twin: func(i, _ int, n uint64) {
		a, b := other(i, n)
		twin[root(a)] = root(b)
	}, same: func() error {
		sets := 0
		for k, parent := range twin {
			if k == parent {
				sets++
			}
		}
		n, err := d.Sets()
		joins, err2 := pebble.AllReduce(r, joined, pebble.Sum)
		if err := errors.Join(err, err2, d.Compress()); err != nil {
			return err
		}
		if int(n) != sets || joins != len(twin)-sets {
			return fmt.Errorf("%d sets and %d joins in place of %d of %d keys", n, joins, sets, len(twin))
		}
		roots := map[uint64]uint64{}
		for k, to := range d.LocalAll() {
			if before, there := roots[root(k)]; there && before != to {
				return fmt.Errorf("%d has the root %d, and another one of its set %d", k, to, before)
			}
			roots[root(k)] = to
		}
		return nil
	}, clear: func() error {
		joined = 0
		clear(twin)
		return d.Clear()
	}}
}
