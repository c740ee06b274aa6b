package container_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// all has one container of each kind.
type all struct {
	places *container.Map[name, []string]
	counts *container.Counter[string]
	set    *container.Set[string]
	multi  *container.MultiMap[uint32, string]
	sets   *container.DisjointSets[string]
	bag    *container.Bag[string]
	table  *container.Table[row]
}

func newAll(r *pebble.Rank) all {
	return all{
		container.NewMap[name, []string](r, "map"), container.NewCounter[string](r, "counter"),
		container.NewSet[string](r, "set"),
		container.NewMultiMap[uint32, string](r, "multimap"), container.NewDisjointSets[string](r, "sets", nil),
		container.NewBag[string](r, "bag"), container.NewTable[row](r, "table", container.Budget{}),
	}
}

// Saved containers can be loaded on other numbers of ranks.
func TestSavedContainersAreLoadedByAnyNumberOfRanks(t *testing.T) {
	folder := t.TempDir()
	in := func(what string) string { return filepath.Join(folder, what) }
	const entries = 1000
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		a := newAll(r)
		appstest.Epoch(r, func() {
			for i := r.ID(); i < entries; i += r.Size() {
				a.places.Put(names(i), []string{words(i), ""})
				a.counts.Add(words(i), uint64(i)<<40)
				a.set.Insert(words(i % 100))
				a.multi.Add(uint32(i%50), words(i))
				a.sets.Union(words(i), words(i%7))
				a.bag.Add(words(i))
				a.table.Add(row{words(i), int8(i), 0.5})
			}
		})
		return errors.Join(a.sets.Compress(),
			container.Save(a.places, in("map")), container.Save(a.counts, in("counter")),
			container.Save(a.set, in("set")), container.Save(a.multi, in("multimap")),
			container.Save(a.sets, in("sets")), container.Save(a.bag, in("bag")),
			container.Save(a.table, in("table")),
		)
	}))
	for _, ranks := range []int{1, 2, 5} {
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			a := newAll(r)
			require.NoError(t, errors.Join(
				container.Load(a.places, in("map")), container.Load(a.counts, in("counter")),
				container.Load(a.set, in("set")), container.Load(a.multi, in("multimap")),
				container.Load(a.sets, in("sets")), container.Load(a.bag, in("bag")),
				container.Load(a.table, in("table")),
			))
			var mine, want []string
			tell(&mine, "map", a.places.LocalAll())
			tell(&mine, "counter", a.counts.LocalAll())
			tell(&mine, "set", a.set.LocalAll())
			tell(&mine, "multimap", a.multi.LocalAll())
			for v := range a.bag.LocalAll() {
				mine = append(mine, fmt.Sprintln("bag", v))
			}
			for v := range a.table.LocalAll() {
				mine = append(mine, fmt.Sprintln("table", v))
			}
			for i := range entries {
				want = append(want, fmt.Sprintln("map", names(i), []string{words(i), ""}),
					fmt.Sprintln("counter", words(i), uint64(i)<<40), fmt.Sprintln("multimap", uint32(i%50), words(i)),
					fmt.Sprintln("bag", words(i)), fmt.Sprintln("table", row{words(i), int8(i), 0.5}))
				if i < 100 {
					want = append(want, fmt.Sprintln("set", words(i), struct{}{}))
				}
			}
			if sets, n := appstest.Must(a.sets.Sets()), appstest.Must(a.sets.Len()); sets != 7 || n != entries {
				return fmt.Errorf("%d sets of %d keys", sets, n)
			}
			return same(r, mine, want)
		}))
	}
}

// tell appends the contents of a container.
func tell[K, V any](to *[]string, what string, local func(yield func(K, V) bool)) {
	for k, v := range local {
		*to = append(*to, fmt.Sprintln(what, k, v))
	}
}

func TestWhatCantBeSavedOrLoadedIsTold(t *testing.T) {
	folder := t.TempDir()
	saved := filepath.Join(folder, "saved")
	type counter = *container.Counter[string]
	try := func(do func(c counter) error) error {
		return pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			c := container.NewCounter[string](r, "counter")
			appstest.Epoch(r, func() { c.Add("word", 1) })
			return do(c)
		})
	}
	require.NoError(t, try(func(c counter) error { return container.Save(c.View, saved) }))
	require.ErrorContains(t, try(func(c counter) error { return container.Save(c.View, saved) }), "saved")
	none := filepath.Join(folder, "none")
	require.ErrorContains(t, try(func(c counter) error { return container.Load(c, none) }), "none")
	require.ErrorContains(t, try(func(c counter) error {
		return container.Save(c.View, filepath.Join(folder, "no", "folder"))
	}), "folder")
	require.ErrorContains(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		return container.Load(container.NewBag[string](r, "bag"), saved) // of other types
	}), "schema")
	parts, err := filepath.Glob(filepath.Join(saved, "*.avro"))
	require.NoError(t, err)
	require.NotEmpty(t, parts)
	for _, part := range parts {
		data, err := os.ReadFile(part)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(part, data[:len(data)-3], 0o600))
	}
	require.ErrorContains(t, try(func(c counter) error { return container.Load(c, saved) }),
		" and the checksum crc32c:")
}

type (
	posting struct {
		File string
		Line int32
		Old  map[string]bool
	}
	// entry is the new form of posting, in another place.
	entry struct {
		Weight float64 `avro:"Weight,default=0.5"`
		Line   int64
		File   string
		Up     *entry `avro:",default=null"`
	}
)

// Saved data stays readable when a type gets another name or package, and other fields.
func TestSavedTypesMayMoveAndChange(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "index")
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		index := container.NewMultiMap[string, posting](r, "index")
		appstest.Epoch(r, func() {
			index.Add(words(r.ID()), posting{"f", int32(r.ID()), map[string]bool{"x": true}})
		})
		return container.Save(index.View, folder)
	}))
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		index := container.NewMultiMap[string, entry](r, "index")
		appstest.OK(container.Load(index, folder))
		var mine []string
		tell(&mine, "", index.LocalAll())
		return same(r, mine, []string{fmt.Sprintln("", words(0), entry{0.5, 0, "f", nil}),
			fmt.Sprintln("", words(1), entry{0.5, 1, "f", nil})})
	}))
	require.ErrorContains(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		return container.Load(container.NewMap[string, struct{ File, Where string }](r, "map"), folder)
	}), "the records' schema: field Value.Where: it is not among the fields that the record has, File, Line, Old: "+
		"name one of these, or give it a default")
}
