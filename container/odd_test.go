package container_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Mistakes are reported on all ranks, and no rank hangs.
func TestMistakesAreTold(t *testing.T) {
	type pointing struct{ At *int }
	type ints = *container.Table[uint64]
	key := func(i uint64) uint64 { return i }
	none := func() error { return nil }
	numbers := func(r *pebble.Rank) *container.Map[uint64, uint64] { return container.NewMap[uint64, uint64](r, "map") }
	filled := func(r *pebble.Rank) *container.Set[uint64] {
		s := container.NewSet[uint64](r, "set")
		some := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
		appstest.Epoch(r, func() { s.InsertAll(some) })
		return s
	}
	rows := func(try func(rows ints) error) func(r *pebble.Rank) error { // try gets a table of one row
		return func(r *pebble.Rank) error {
			table := container.NewTable[uint64](r, "table", container.Budget{})
			table.Add(1)
			return try(table)
		}
	}
	made := func(make func(r *pebble.Rank)) func(r *pebble.Rank) error { // for programs that only make an object
		return func(r *pebble.Rank) error { make(r); return nil }
	}
	for name, c := range map[string]struct {
		run  func(r *pebble.Rank) error
		want string
	}{
		"key with a pointer": {made(func(r *pebble.Rank) { container.NewSet[pointing](r, "set") }),
			"its key has container_test.pointing.At of type *int, an address that differs between ranks"},
		"codec for nothing": {made(func(r *pebble.Rank) {
			container.NewMap[uint64, uint64](r, "map", target.Coded(pebble.Strings{}))
		}), "which is a codec of none of these values"},
		"reducer without a function": {made(func(r *pebble.Rank) { numbers(r).NewReducer("sum", nil) }),
			"no function that merges"},
		"visitor without a function": {made(func(r *pebble.Rank) {
			container.NewVisitor[uint64, uint64, uint64](numbers(r), "visit", nil)
		}), "it has no function"},
		"two of one name": {made(func(r *pebble.Rank) { numbers(r); numbers(r) }),
			"a target of this name is registered already"},
		"another container on one rank": {func(r *pebble.Rank) error {
			if r.ID() == 0 {
				container.NewSet[uint64](r, "set")
			} else {
				container.NewSet[string](r, "set")
			}
			return r.Epoch(none)
		}, "set"},
		"NaN": {func(r *pebble.Rank) error {
			m := container.NewMap[name, []string](r, "map")
			return r.Epoch(func() error { m.Put(name{Height: math.NaN()}, nil); return nil })
		}, "a key has a NaN"},
		"put outside of an epoch": {made(func(r *pebble.Rank) { numbers(r).Put(1, 1) }), "outside of an epoch"},
		"change while it is iterated over": {func(r *pebble.Rank) error {
			c := container.NewCounter[uint64](r, "counter", target.Cache(0))
			return r.Epoch(func() error {
				for i := range uint64(1000) {
					c.Add(i, 1)
				}
				for k := range c.LocalAll() {
					c.Add(k+1000, 1)
				}
				return nil
			})
		}, "came while the rank iterates over the entries: collect the changes"},
		"row for a table that is iterated over": {rows(func(rows ints) error {
			for row := range rows.LocalAll() {
				rows.Add(row)
			}
			return nil
		}), "a row came or went while the rank iterates over the rows: add to another table"},
		"value for a multimap that is iterated over": {func(r *pebble.Rank) error {
			m := container.NewMultiMap[uint32, string](r, "multimap")
			add := func() error {
				m.AddAll([]container.Entry[uint32, string]{{Key: 1}, {Key: 2}, {Key: 3}, {Key: 4}, {Key: 5}})
				return nil
			}
			appstest.OK(r.Epoch(add))
			return m.ForAll(func(uint32, string) error { return add() })
		}, "Add came while the rank iterates over the entries"},
		"key that goes while it is iterated over": {func(r *pebble.Rank) error {
			s := container.NewSet[uint64](r, "set")
			return leaving(r, s.View, s.Insert, s.Delete)
		}, "set: Delete came while the rank iterates over the entries"},
		"values that go while they are iterated over": {func(r *pebble.Rank) error {
			m := container.NewMultiMap[uint64, uint64](r, "multimap")
			return leaving(r, m.View, func(k uint64) { m.Add(k, k) }, m.Delete)
		}, "multimap: Delete came while the rank iterates over the entries"},
		"rows that go while they are iterated over": {rows(func(rows ints) error {
			for range rows.LocalAll() {
				return rows.Clear()
			}
			return nil
		}), "all rows came or went while the rank iterates over the rows"},
		"clear while it is iterated over": {func(r *pebble.Rank) error {
			s := filled(r)
			for range s.LocalAll() {
				return s.Clear()
			}
			return s.Clear()
		}, "Clear came while the rank iterates"},
		"top of less than none": {func(r *pebble.Rank) error {
			_, err := container.NewCounter[uint64](r, "counter").Top(-1)
			return err
		}, "needs a number of 0 or more"},
		"memory below none": {made(func(r *pebble.Rank) {
			container.NewTable[uint64](r, "table", container.Budget{Memory: -1})
		}), "-1 bytes of memory"},
		"scratch folder that is not there": {made(func(r *pebble.Rank) {
			none := filepath.Join(t.TempDir(), "none")
			numbered(r, 1000, container.Budget{Memory: 1, Scratch: none})
		}), "name a writable folder"},
		"sort without a function": {rows(func(rows ints) error { return rows.SortFunc(nil) }),
			"no function to compare rows is given"},
		"groups without a function": {rows(func(rows ints) error {
			_, err := container.GroupBy[uint64, uint64, uint64](rows, key, key, nil)
			return err
		}), "groups need functions"},
		"join of no kind": {rows(func(rows ints) error {
			return container.Join(rows, rows, key, key, 9, func(uint64, *uint64) {})
		}), "a join of kind 9"},
		"join on a channel": {rows(func(rows ints) error {
			on := func(uint64) chan int { return nil }
			return container.Join(rows, rows, on, on, container.Inner, func(uint64, *uint64) {})
		}), "use keys of numbers and strings"},
		"error of ForAll": {func(r *pebble.Rank) error {
			return filled(r).ForAll(func(uint64, struct{}) error { return context.DeadlineExceeded })
		}, "container: set: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ranks := range []int{1, 3} {
				err := pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, c.run)
				if name == "another container on one rank" && ranks == 1 {
					require.NoError(t, err)
					continue
				}
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// numbered is a table whose rows on each rank are the numbers from 0 on.
func numbered(r *pebble.Rank, rows int, space container.Budget) *container.Table[uint64] {
	table := container.NewTable[uint64](r, "table", space)
	for i := range uint64(rows) {
		table.Add(i)
	}
	return table
}

// leaving fills a container, and removes each key while all ranks iterate.
func leaving[V any](r *pebble.Rank, all container.View[uint64, V], fill, leave func(k uint64)) error {
	appstest.Epoch(r, func() {
		for k := range uint64(20) {
			fill(k)
		}
	})
	return all.ForAll(func(k uint64, _ V) error {
		for range 2 * target.SendBufferMax { // enough that they don't wait for the end of the iteration
			leave(k)
		}
		return nil
	})
}

// A table can be joined with itself, and containers may be empty in every way.
func TestNothingAtAllIsNoMistake(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			table := container.NewTable[uint64](r, "table", container.Budget{})
			key := func(i uint64) uint64 { return i }
			require.NoError(t, container.Sort(table))
			require.NoError(t, container.SortStableFunc(table, cmp.Compare[uint64]))
			appstest.Must(container.GroupBy(table, key, key, pebble.Sum))
			for range 2 {
				table.Add(uint64(r.ID()))
			}
			pairs := 0
			require.NoError(t, container.Join(table, table, key, key, container.Inner, func(uint64, *uint64) { pairs++ }))
			require.Equal(t, 4*ranks, appstest.Must(pebble.AllReduce(r, pairs, pebble.Sum)))

			bag, sets := container.NewBag[string](r, "bag"), container.NewDisjointSets[uint64](r, "sets", nil)
			require.NoError(t, bag.Balance())
			require.NoError(t, sets.Compress())
			require.Zero(t, appstest.Must(sets.Sets()))
			require.Empty(t, appstest.Must(container.NewCounter[string](r, "counter").Top(0)))
			return nil
		}))
	}
}

// Changes of values alone are allowed while a rank iterates.
func TestValuesMayChangeDuringAnIteration(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		c := container.NewCounter[uint64](r, "counter")
		appstest.Epoch(r, func() {
			for i := range uint64(1000) {
				c.Add(i, 1)
			}
		})
		appstest.OK(c.ForAll(func(k, _ uint64) error {
			c.Add(k/2, 1)
			return nil
		}))
		require.EqualValues(t, 3000+1000, appstest.Must(sum(r, c)))
		require.EqualValues(t, 1000, appstest.Must(c.Len()))
		return nil
	}))
}

// A rank that only adds rows leaves when the job has failed.
func TestAddLeavesAFailedJob(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := pebble.Run(ctx, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		table := container.NewTable[uint64](r, "table", container.Budget{Memory: 1 << 16, Scratch: t.TempDir()})
		for i := uint64(0); ; i++ {
			if table.Add(i); i == 100_000 && r.ID() == 0 {
				cancel()
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
}

// Scratch files are gone at the end of the job, also after an error.
func TestNoFileIsLeftBehind(t *testing.T) {
	folder := t.TempDir()
	err := pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		table := numbered(r, 5000, container.Budget{Memory: 1000, Scratch: folder})
		if err := container.Sort(table); err != nil || table.Spilled().Bytes < 5000 {
			return err
		}
		return context.Canceled
	})
	require.ErrorIs(t, err, context.Canceled)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Empty(t, files)
}

// A cleared container is empty for all calls, and can be used again.
func TestClearedContainersServeAgain(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		a := newAll(r)
		for range 2 {
			appstest.Epoch(r, func() {
				for i := range 100 {
					a.places.Put(names(i), []string{words(i)})
					a.counts.Add(words(i), 1)
					a.set.Insert(words(i))
					a.multi.Add(uint32(i), words(i))
					a.sets.Union(words(i), words(i/2))
					a.bag.Add(words(i))
					a.table.Add(row{words(i), 0, 0})
				}
			})
			all := uint64(100 * r.Size())
			requireLengths(t, a, 100, 100, 100, all, 100, all, all)
			values := a.multi.LocalValues(uint32(r.ID()))
			require.Len(t, values, map[bool]int{true: r.Size()}[a.multi.Owner(uint32(r.ID())) == r.ID()])
			require.EqualValues(t, 1, appstest.Must(a.sets.Sets()))
			appstest.OK(errors.Join(a.places.Clear(), a.counts.Clear(), a.set.Clear(), a.multi.Clear(), a.sets.Clear(),
				a.bag.Clear(), a.table.Clear()))
			requireLengths(t, a, 0, 0, 0, 0, 0, 0, 0)
		}
		return nil
	}))
}

// requireLengths checks the number of entries of containers on all ranks.
func requireLengths(t *testing.T, a all, want ...uint64) {
	t.Helper()
	for i, lengths := range []struct {
		all   func() (uint64, error)
		local int
	}{
		{a.places.Len, a.places.LocalLen()}, {a.counts.Len, a.counts.LocalLen()}, {a.set.Len, a.set.LocalLen()},
		{a.multi.Len, a.multi.LocalLen()}, {a.sets.Len, a.sets.LocalLen()}, {a.bag.Len, a.bag.LocalLen()},
		{a.table.Len, a.table.LocalLen()},
	} {
		n := appstest.Must(lengths.all())
		require.Equal(t, want[i], n, "container %d", i)
		if n == 0 {
			require.Zero(t, lengths.local, "container %d", i)
		}
	}
}

// Files are closed after their rows have been read, for every use of the rows.
func TestScratchFilesAreClosed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which files are open")
	}
	space := container.Budget{Memory: 4096, Scratch: t.TempDir()}
	key := func(i uint64) uint64 { return i }
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		table := numbered(r, 3000, space)
		groups := appstest.Must(container.GroupBy(table, key, key, pebble.Sum))
		distinct := appstest.Must(container.Distinct(table))
		require.NoError(t, errors.Join(container.Sort(table),
			container.SortStableFunc(table, func(a, b uint64) int { return cmp.Compare(b, a) }),
			container.Join(table, table, key, key, container.Semi, func(uint64, *uint64) {})))
		for _, spilled := range []int{table.Spilled().Runs, groups.Spilled().Runs, distinct.Spilled().Runs} {
			require.NotZero(t, spilled)
		}
		return errors.Join(table.Clear(), groups.Clear(), distinct.Clear())
	}))
	files, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, file := range files {
		to, _ := os.Readlink(file) // Glob's own descriptor of the folder is gone
		require.NotContains(t, to, space.Scratch)
	}
}
