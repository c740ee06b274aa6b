package container_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// tried is a container beside its twin, which has this rank's keys if the container has keys.
type tried struct {
	do, twin func(key, what int, number uint64)
	same     func() error
	clear    func() error
	forget   func() // clears the twin
}

// Containers agree with Go's maps and slices after each of some rounds of random operations by all ranks at a time: on
// each number of ranks, over each transport, and in simulated worlds. Each round draws from another number of keys.
func TestContainersAreGosMapsAndSlices(t *testing.T) {
	seed := seeds.Of(t)
	everywhere(t, func(r *pebble.Rank) error {
		high := func(i int) uint64 { return uint64(i) << 40 }
		number := func(n uint64) uint64 { return n }
		list := func(n uint64) []string { return []string{words(int(n % 99)), ""} }
		last := func(held, next []string) []string { return slices.MaxFunc([][]string{held, next}, slices.Compare) }
		tasks := task.New(r)
		for _, c := range []tried{
			triedMap(r, tasks, "numbers", high, number, pebble.Sum),
			triedMap(r, tasks, "words", words, number, pebble.Sum),
			triedMap(r, tasks, "structs", names, list, last), triedCounter(r), triedSet(r), triedMultiMap(r),
			triedBag(r), triedSets(r), triedTable(r, t.TempDir),
		} {
			appstest.OK(manyOperations(r, operations, seed, c))
		}
		return nil
	})
}

func everywhere(t *testing.T, program func(r *pebble.Rank) error) {
	t.Helper()
	appstest.Everywhere(t, func(*testing.T, int) (func(r *pebble.Rank) error, func(t *testing.T)) { return program, nil })
}

func manyOperations(r *pebble.Rank, n int, seed uint64, c tried) error {
	for round := uint64(0); n > 0; round++ {
		random := rand.New(rand.NewPCG(seed, round))
		some := min(n, 1+random.IntN(operations/4))
		keys := 1 << random.IntN(min(13, bits.Len(uint(some))))
		n -= some
		if random.IntN(4) == 0 {
			c.forget()
			appstest.OK(c.clear())
		}
		each := func(rank int, do func(key, what int, number uint64)) {
			random := rand.New(rand.NewPCG(seed+uint64(rank)+1, round))
			for range some/r.Size() + 1 {
				key, number := random.IntN(keys), random.Uint64()
				// All operations of a round on one key are equal, so their order does not matter.
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
		appstest.Epoch(r, func() { each(r.ID(), c.do) })
		if err := c.same(); err != nil {
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
func entriesAre[K comparable, V any](local func(yield func(K, V) bool), want map[K]V) error {
	n := 0
	for k, v := range local {
		if w, there := want[k]; !there || fmt.Sprint(v) != fmt.Sprint(w) {
			return fmt.Errorf("%v is %v in place of %v (%v)", k, v, w, there)
		}
		n++
	}
	if n != len(want) {
		return fmt.Errorf("%d entries in place of %d", n, len(want))
	}
	return nil
}

// triedMap is a map whose twin has the keys of all ranks. A value is made of a number, and two are merged in any order.
func triedMap[K comparable, V any](r *pebble.Rank, tasks *task.Scheduler, name string, key func(i int) K,
	value func(n uint64) V, merge func(held, next V) V) tried {
	m, twin := container.NewMap[K, V](r, name), map[K]V{}
	change := func(_ K, v *V, n uint64) { *v = merge(*v, value(n)) }
	visit, find := container.NewVisitor(m, "visit", change), container.NewFinder(m, "find", change)
	merged, reads := m.NewReducer("merged", merge), container.NewReads(m, tasks)
	return tried{do: func(i, what int, n uint64) {
		k, v := key(i), value(n)
		changes := [kindsOfChanges]func(){
			func() { m.Put(k, v) }, func() { m.Insert(k, v) }, func() { m.Delete(k) },
			func() { visit.Send(k, n) }, func() { find.Send(k, n) }, func() { merged.Reduce(k, v) },
		}
		if n%2 == 0 {
			all := []container.Entry[K, V]{{Key: k, Value: v}}
			changes[0], changes[1] = func() { m.PutAll(all) }, func() { m.InsertAll(all) }
			changes[4] = func() { find.SendAll([]container.Entry[K, uint64]{{Key: k, Value: n}}) }
		}
		changes[what]()
	}, twin: func(i, what int, n uint64) {
		k := key(i)
		v, there := twin[k]
		switch {
		case what == 0, what == 1 && !there:
			twin[k] = value(n)
		case what == 2:
			delete(twin, k)
		case what == 3, what == 4 && there, what == 5 && there:
			twin[k] = merge(v, value(n))
		case what == 5:
			twin[k] = value(n)
		}
	}, same: func() error {
		for k, at := range m.LocalRefs() {
			if v, there := m.LocalGet(k); !there || fmt.Sprint(v) != fmt.Sprint(*at) {
				return fmt.Errorf("%v is %v, and its place has %v", k, v, *at)
			}
		}
		own := maps.Clone(twin)
		maps.DeleteFunc(own, func(k K, _ V) bool { return m.Owner(k) != r.ID() })
		appstest.OK(tasks.Run(func() { sameReads(reads, twin, key) }))
		return errors.Join(entriesAre(m.LocalAll(), own), sameMap(m, twin))
	}, clear: m.Clear, forget: func() { clear(twin) }}
}

func triedCounter(r *pebble.Rank) tried {
	c, twin := container.NewCounter[uint64](r, "counter"), map[uint64]uint64{}
	return tried{do: func(i, _ int, n uint64) { c.Add(uint64(i), n) }, twin: func(i, _ int, n uint64) {
		if k := uint64(i); c.Owner(k) == r.ID() {
			twin[k] += n
		}
	}, same: func() error { return entriesAre(c.LocalAll(), twin) }, clear: c.Clear, forget: func() { clear(twin) }}
}

func triedSet(r *pebble.Rank) tried {
	s, twin := container.NewSet[uint64](r, "set"), map[uint64]struct{}{}
	return tried{do: func(i, what int, _ uint64) {
		switch k := uint64(i); {
		case what < 3:
			s.Delete(k)
		case what == 3:
			s.InsertAll([]uint64{k, k})
		default:
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
	}, same: func() error {
		for k := range twin {
			if _, there := s.LocalGet(k); !there {
				return fmt.Errorf("%d is not there", k)
			}
		}
		return entriesAre(s.LocalAll(), twin)
	}, clear: s.Clear, forget: func() { clear(twin) }}
}

func triedMultiMap(r *pebble.Rank) tried {
	m, twin := container.NewMultiMap[uint32, string](r, "multimap"), map[uint32][]string{}
	return tried{do: func(i, what int, n uint64) {
		if k := uint32(i); what < 2 {
			m.Delete(k)
		} else {
			m.Add(k, words(int(n%99)))
		}
	}, twin: func(i, what int, n uint64) {
		switch k := uint32(i); {
		case m.Owner(k) != r.ID():
		case what < 2:
			delete(twin, k)
		default:
			twin[k] = append(twin[k], words(int(n%99)))
		}
	}, same: func() error {
		n, several := 0, 0
		for k, vs := range m.LocalGroups() {
			if n += len(vs); !slices.Equal(slices.Sorted(slices.Values(vs)), slices.Sorted(slices.Values(twin[k]))) {
				return fmt.Errorf("%d has %d values in place of %d, or others", k, len(vs), len(twin[k]))
			}
		}
		if n != m.LocalLen() {
			return fmt.Errorf("%d values, and LocalLen says %d", n, m.LocalLen())
		}
		for k, vs := range twin {
			if n -= len(vs); len(vs) > 1 {
				several += len(vs)
			}
			if len(m.LocalValues(k)) != len(vs) {
				return fmt.Errorf("%d has %d values in place of %d", k, len(m.LocalValues(k)), len(vs))
			}
		}
		filtered := m.Filter(func(k uint32, _ string) bool { return len(m.LocalValues(k)) > 1 }).LocalLen()
		if n != 0 || filtered != several {
			return fmt.Errorf("%d values too many, and %d of keys with several in place of %d", n, filtered, several)
		}
		return nil
	}, clear: m.Clear, forget: func() { clear(twin) }}
}

// sameOfAll compares the elements of all ranks, in order, with a slice.
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
			appstest.OK(b.Balance())
			if n := len(twin) / r.Size(); b.LocalLen() != n && b.LocalLen() != n+1 {
				return fmt.Errorf("%d of %d elements after Balance", b.LocalLen(), len(twin))
			}
			all, err := pebble.AllGatherSlice(r, b.LocalSlice())
			got := slices.Sorted(slices.Values(slices.Concat(all...)))
			if slices.Sort(twin); err == nil && !slices.Equal(got, twin) {
				return fmt.Errorf("%d elements in place of %d, or others", len(got), len(twin))
			}
			twin = nil
			return errors.Join(err, b.Clear())
		}, clear: b.Clear, forget: func() { twin = nil }}
}

func triedTable(r *pebble.Rank, scratch func() string) tried {
	table := container.NewTable[uint64](r, "table", container.Budget{Memory: 1 << 14, Scratch: scratch()})
	twin := []uint64(nil)
	value := func(i, what int, n uint64) uint64 { return cmp.Or(n*uint64(min(1, what)), uint64(i)) } // some are equal
	return tried{do: func(i, what int, n uint64) { table.Add(value(i, what, n)) },
		twin: func(i, what int, n uint64) { twin = append(twin, value(i, what, n)) },
		same: func() error {
			appstest.OK(container.Sort(table))
			slices.Sort(twin)
			var mine []uint64
			for row := range table.LocalAll() {
				mine = append(mine, row)
			}
			err := sameOfAll(r, mine, twin)
			if len(twin) > operations*r.Size() {
				twin = nil
				err = errors.Join(err, table.Clear())
			}
			return err
		}, clear: table.Clear, forget: func() { twin = nil }}
}

func triedSets(r *pebble.Rank) tried {
	var joined [][2]uint64 // on this rank
	d := container.NewDisjointSets(r, "sets", func(a, b uint64) { joined = append(joined, [2]uint64{a, b}) })
	twin := map[uint64]uint64{}
	rootIn := func(twin map[uint64]uint64, k uint64) uint64 {
		if _, there := twin[k]; !there {
			twin[k] = k
		}
		for twin[k] != k {
			twin[k], k = twin[twin[k]], twin[k]
		}
		return k
	}
	root := func(k uint64) uint64 { return rootIn(twin, k) }
	other := func(i int, n uint64) (uint64, uint64) { return uint64(i), uint64(i) + n%3*n%7 }
	return tried{do: func(i, what int, n uint64) {
		if a, b := other(i, n); what < 3 {
			d.Union(a, b)
		} else {
			d.UnionAll([]container.Entry[uint64, uint64]{{Key: a, Value: b}, {Key: a, Value: a}})
		}
	}, twin: func(i, _ int, n uint64) {
		a, b := other(i, n)
		twin[root(a)] = root(b)
	}, same: func() error {
		sets := 0
		for k, parent := range twin {
			if k == parent {
				sets++
			}
		}
		n, joins := appstest.Must(d.Sets()), appstest.Must(pebble.AllGatherSlice(r, joined))
		appstest.OK(d.Compress())
		forest := map[uint64]uint64{}
		for _, join := range slices.Concat(joins...) {
			a, b := rootIn(forest, join[0]), rootIn(forest, join[1])
			if a == b || root(a) != root(b) {
				return fmt.Errorf("the union of %v is said to have joined two sets", join)
			}
			forest[a] = b
		}
		if all := len(slices.Concat(joins...)); int(n) != sets || all != len(twin)-sets {
			return fmt.Errorf("%d sets and %d joins in place of %d of %d keys", n, all, sets, len(twin))
		}
		roots := map[uint64]uint64{}
		for k, to := range d.LocalAll() {
			if before, there := roots[root(k)]; there && before != to {
				return fmt.Errorf("%d has the root %d, and another one of its set %d", k, to, before)
			}
			roots[root(k)] = to
		}
		return nil
	}, clear: d.Clear, forget: func() {
		joined = nil
		clear(twin)
	}}
}
