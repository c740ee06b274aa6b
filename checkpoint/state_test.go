package checkpoint_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

const (
	elements = 10_007 // number in slices and containers
	coded    = 1_001  // number of those that are not plain data
)

type pair struct {
	Here  int32
	There float64
}

func pairOf(key uint64) pair { return pair{int32(key % 1000), float64(key) / 3} }

func text(key uint64) string { return strings.Repeat("x", int(key%17)) + fmt.Sprint(key) }

// state has a part of each kind.
type state struct {
	r      *pebble.Rank
	step   int
	words  map[string]int
	lists  []uint64 // of this rank
	ranges map[string]*under
	texts  []string
	byText distribution.Indexed
	array  *memory.Array[uint32]
	space  *pages.Space
	pages  *pages.Slice[uint16]

	plain    *container.Map[uint64, pair]
	mapped   *container.Map[string, []string]
	counts   *container.Counter[string]
	set      *container.Set[uint64]
	multi    *container.MultiMap[uint32, string]
	sets     *container.DisjointSets[uint64]
	bag      *container.Bag[uint64]
	table    *container.Table[pair]
	vertices int
}

// under is a slice under a distribution.
type under struct {
	d  distribution.Indexed
	vs []pair
}

func newState(r *pebble.Rank) *state {
	n := r.Size()
	s := &state{r: r, ranges: map[string]*under{}, vertices: elements}
	for name, d := range map[string]distribution.Indexed{
		"block": distribution.Block(elements, n), "cyclic": distribution.Cyclic(elements, n),
		"shuffled": distribution.Shuffled(elements, n, 7), "tiles": distribution.Tiles(101, 37, n),
		"empty": distribution.Block(0, n),
	} {
		s.ranges[name] = &under{d, make([]pair, d.LocalLen(r.ID()))}
	}
	s.byText = distribution.BlockCyclic(coded, n, 10)
	s.texts = make([]string, s.byText.LocalLen(r.ID()))
	m := memory.New(r)
	s.array = memory.NewArray[uint32](m, "array", distribution.BlockCyclic(elements, n, 64))
	s.space = pages.New(m, pages.Config{PageBytes: 256})
	s.pages = pages.NewSlice[uint16](s.space, "pages", distribution.BlockCyclic(elements, n, 512))
	s.plain = container.NewMap[uint64, pair](r, "plain")
	s.mapped = container.NewMap[string, []string](r, "mapped")
	s.counts, s.set = container.NewCounter[string](r, "counts"), container.NewSet[uint64](r, "set")
	s.multi = container.NewMultiMap[uint32, string](r, "multi")
	s.sets = container.NewDisjointSets[uint64](r, "sets", nil)
	s.bag = container.NewBag[uint64](r, "bag")
	s.table = container.NewTable[pair](r, "table", container.Budget{})
	return s
}

func (s *state) checkpoint() *checkpoint.Checkpoint {
	parts := []checkpoint.Part{
		checkpoint.Argument("vertices", s.vertices), checkpoint.Value("step", &s.step), checkpoint.Value("words", &s.words),
		checkpoint.PerRank("lists", &s.lists, func(a, b []uint64) []uint64 { return append(a, b...) }),
		checkpoint.Slice("texts", s.byText, &s.texts), checkpoint.Array("array", s.array),
		checkpoint.Pages("pages", s.pages), checkpoint.Records("plain", s.plain),
		checkpoint.Records("mapped", s.mapped), checkpoint.Records("counts", s.counts),
		checkpoint.Records("set", s.set), checkpoint.Records("multi", s.multi), checkpoint.Records("sets", s.sets),
		checkpoint.Records("bag", s.bag), checkpoint.Records("table", s.table),
	}
	for _, name := range []string{"block", "cyclic", "shuffled", "tiles", "empty"} {
		parts = append(parts, checkpoint.Slice(name, s.ranges[name].d, &s.ranges[name].vs))
	}
	return checkpoint.New(s.r, "all", parts...)
}

// fill sets the state of a step.
func (s *state) fill(step int) {
	self, n := s.r.ID(), s.r.Size()
	s.step, s.words, s.lists = step, map[string]int{"a": step, "b": 2}, nil
	for _, u := range s.ranges {
		for i := range u.vs {
			u.vs[i] = pairOf(u.d.Key(self, i) + uint64(step))
		}
	}
	for i := range s.texts {
		s.texts[i] = text(s.byText.Key(self, i))
	}
	for i := range s.array.Local() {
		s.array.Local()[i] = uint32(s.array.Distribution().Key(self, i))
	}
	for key := range uint64(elements) {
		if s.pages.Distribution().Owner(key) == self {
			s.pages.Write(key, key+1)[0] = uint16(key)
		}
	}
	appstest.OK(s.space.Barrier())
	first, last := distribution.Block(elements, n).Key(self, 0), uint64(0)
	last = first + uint64(distribution.Block(elements, n).LocalLen(self))
	appstest.Epoch(s.r, func() {
		for key := first; key < last; key++ {
			s.lists = append(s.lists, key)
			s.plain.Put(key, pairOf(key))
			s.set.Insert(key)
			s.sets.Union(key, key%7)
			s.bag.Add(key)
			s.table.Add(pairOf(key))
			if key < coded {
				s.mapped.Put(text(key), []string{text(key), ""})
				s.counts.Add(text(key), key+1)
				s.multi.Add(uint32(key%50), text(key))
			}
		}
	})
	appstest.OK(s.sets.Compress())
}

// check compares the state with that of a step.
func (s *state) check(r appstest.Rank, step int) {
	r.Equal(step, s.step)
	r.Equal(map[string]int{"a": step, "b": 2}, s.words)
	for name, u := range s.ranges {
		for i, v := range u.vs {
			r.Equal(pairOf(u.d.Key(r.ID(), i)+uint64(step)), v, name)
		}
	}
	for i, v := range s.texts {
		r.Equal(text(s.byText.Key(r.ID(), i)), v)
	}
	for i, v := range s.array.Local() {
		r.Equal(uint32(s.array.Distribution().Key(r.ID(), i)), v)
	}
	appstest.OK(s.space.Barrier())
	for i, v := range s.pages.Read(0, elements) {
		r.Equal(uint16(i), v)
	}
	r.True(slices.IsSorted(s.lists))
	r.Equal(uint64(elements), appstest.Reduced(r, uint64(len(s.lists)), pebble.Sum))
	s.checkContainers(r)
}

func (s *state) checkContainers(r appstest.Rank) {
	for k, v := range s.plain.LocalAll() {
		r.Equal(pairOf(k), v)
	}
	for k, v := range s.mapped.LocalAll() {
		r.Equal([]string{k, ""}, v)
	}
	appstest.OK(s.sets.Compress())
	for key, root := range s.sets.LocalAll() {
		r.Equal(key%7, root%7)
	}
	lengths := []func() (uint64, error){s.plain.Len, s.mapped.Len, s.counts.Len, s.set.Len, s.sets.Len, s.bag.Len,
		s.table.Len}
	for i, want := range []uint64{elements, coded, coded, elements, elements, elements, elements} {
		r.Equal(want, appstest.Must(lengths[i]()), i)
	}
	sum := uint64(0)
	for v := range s.bag.LocalAll() {
		sum += v
	}
	r.Equal(uint64(elements*(elements-1)/2), appstest.Reduced(r, sum, pebble.Sum))
	sum = 0
	for _, n := range s.counts.LocalAll() {
		sum += n
	}
	r.Equal(uint64(coded*(coded+1)/2), appstest.Reduced(r, sum, pebble.Sum))
}
