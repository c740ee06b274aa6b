package container_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// The documentation of a container has the methods that come from its view.
func TestMethodsOfViewsAreDocumented(t *testing.T) {
	files := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		require.NoError(t, err)
		parsed = append(parsed, file)
	}
	documented, err := doc.NewFromFiles(files, parsed, "container")
	require.NoError(t, err)
	of := map[string][]string{}
	for _, typ := range documented.Types {
		for _, method := range typ.Methods {
			of[typ.Name] = append(of[typ.Name], method.Name)
		}
	}
	for _, name := range []string{"Map", "MultiMap", "Counter", "Set", "DisjointSets", "Bag", "Table", "View",
		"Elements"} {
		require.Subset(t, of[name], []string{"LocalAll", "LocalLen", "Len", "ForAll", "Filter", "Gather", "TopK"}, name)
	}
}

// The elements of a bag and a table are read without keys.
func TestElementsHaveNoKeys(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			bag := container.NewBag[string](r, "bag")
			for i := r.ID(); i < 40; i += ranks {
				bag.Add(words(i))
			}
			short := bag.Filter(func(w string) bool { return len(w) < len(words(10)) })
			require.EqualValues(t, 10, appstest.Must(short.Len()))
			top := appstest.Must(bag.TopK(3, func(a, b string) int { return cmp.Compare(b, a) }))
			all := appstest.Must(bag.Gather(0))
			if r.ID() == 0 {
				slices.Sort(all)
				slices.Reverse(all)
				require.Len(t, all, 40)
				require.Equal(t, all[:3], top)
			}
			count := container.NewCounter[string](r, "count")
			appstest.OK(short.ForAll(func(w string) error { count.Add(w, 1); return nil }))
			counted, err := sum(r, count)
			require.EqualValues(t, 10, counted)
			return err
		}))
	}
}

// Reads find all values of a key of a multimap, and the key that stands for a set.
func TestReadsOfMultiMapsAndDisjointSets(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			tasks := task.New(r)
			texts := container.NewMultiMap[string, string](r, "texts")
			plain := container.NewMultiMap[uint64, [2]int32](r, "plain")
			sets := container.NewDisjointSets[string](r, "sets", nil)
			ofTexts, ofPlain := container.NewReads(texts, tasks), container.NewReads(plain, tasks)
			ofSets := container.NewReads(sets, tasks)
			appstest.Epoch(r, func() {
				for i := r.ID(); i < 100; i += ranks {
					texts.Add(words(i%10), words(i))
					plain.Add(uint64(i%10), [2]int32{int32(i), -1})
					sets.Union(words(i), words(i%10))
				}
			})
			appstest.OK(sets.Compress())
			var err error
			look := func() error {
				roots := map[string]int{}
				for i := range 100 {
					root, ok := ofSets.Get(words(i))
					if other, _ := ofSets.Get(words(i % 10)); !ok || other != root {
						return fmt.Errorf("%v has the root %v (%v), and %v has %v", words(i), root, ok, words(i%10), other)
					}
					roots[root]++
				}
				if len(roots) != 10 {
					return fmt.Errorf("roots %v", roots)
				}
				for k := range 10 {
					vs, ok := ofTexts.Get(words(k))
					ns, ok2 := ofPlain.Get(uint64(k))
					if !ok || !ok2 || len(vs) != 10 || len(ns) != 10 || !slices.Contains(vs, words(k+50)) ||
						!slices.Contains(ns, [2]int32{int32(k + 90), -1}) {
						return fmt.Errorf("key %d has %v and %v", k, vs, ns)
					}
				}
				if vs, ok := ofTexts.Get("none"); ok || vs != nil {
					return fmt.Errorf("%v for no key", vs)
				}
				return nil
			}
			return cmp.Or(tasks.Run(func() { tasks.Go(func() { err = look() }) }), err)
		}))
	}
}
