package distgraph

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

// Every list arrives whole, with its vertex, once at each other rank that owns destination vertices: empty lists, and
// lists that fill less than a pebble, one pebble, and more. The second time, two lists of one vertex follow each other.
func TestLists(t *testing.T) {
	const vertices, ranks = 60, 3
	source := Source{Generator: appstest.List{N: vertices}.Generator()}
	listOf := func(v uint32) (list []uint32) {
		for i := range v {
			list = append(list, i*7%vertices)
		}
		return list
	}
	toOf := func(v uint32) []uint32 { return []uint32{v, (v + 21) % vertices, (v + 22) % vertices} }
	err := appstest.Job(t, pebble.Config{Ranks: ranks, Coalesce: 2}, func(r *pebble.Rank) error {
		g := appstest.Must(Build(r, source))
		got, want := map[uint32][]uint32{}, map[uint32][]uint32{}
		lists := NewLists(g, "test lists", func(tail uint32, list []uint32) {
			got[tail] = append(got[tail], list...) // a list that arrives twice is too long
		})
		for v := range uint32(vertices) {
			isHere := slices.ContainsFunc(toOf(v), func(to uint32) bool { return g.Owns(uint64(to)) })
			if isHere && !g.Owns(uint64(v)) && v > 0 {
				want[v] = listOf(v)
			}
		}
		var own []uint32
		for v := range uint32(g.Local) {
			own = append(own, uint32(g.First)+v)
		}
		for range 2 {
			clear(got)
			err := r.Epoch(func() error {
				for _, v := range own {
					lists.Send(v, toOf(v), listOf(v))
				}
				lists.Flush()
				return nil
			}, pebble.Depth(1))
			if err != nil {
				return err
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				return fmt.Errorf("rank %d has %v, not %v", r.ID(), got, want)
			}
			slices.Reverse(own)
		}
		return lists.Tally().Check(r, "send lists")
	})
	require.NoError(t, err)
}

// The first of all ranks are the first of the sorted whole.
func TestFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ranks := rapid.IntRange(1, 4).Draw(rt, "ranks")
		offered := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 20), 0, 12), ranks, ranks).Draw(rt, "offered")
		want := append([]int{}, slices.Concat(offered...)...)
		slices.Sort(want)
		want = want[:min(len(want), firstTold)]
		got := make([][]int, ranks)
		require.NoError(rt, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) (err error) {
			first := NewFirst(cmp.Compare[int])
			for _, v := range offered[r.ID()] {
				first.Offer(v)
			}
			got[r.ID()], err = first.Gather(r)
			return err
		}))
		for _, first := range got {
			require.Equal(rt, want, append([]int{}, first...))
		}
	})
}

// All items are in the sample if that is affordable. Otherwise about a part of them is, a different part for another
// seed, without items of high cost.
func TestSample(t *testing.T) {
	const items, ranks = 10_000, 2
	sampled := func(cost, affordable uint64, seed uint64) (of [items]bool) {
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			sample, err := NewSample(r, seed, cost/ranks, affordable/ranks)
			if err != nil || r.ID() > 0 {
				return err
			}
			for i := range of {
				of[i] = sample.Has(uint64(i), 1)
			}
			if cost > affordable && sample.Has(0, affordable/64+1) {
				return fmt.Errorf("an item of %d is in a sample of %d", affordable/64+1, affordable)
			}
			return nil
		}))
		return of
	}
	count := func(of [items]bool) (n uint64) {
		for _, in := range of {
			n += bit(in)
		}
		return n
	}
	require.EqualValues(t, items, count(sampled(items, items, 1)))
	part := sampled(items, items/4, 1)
	require.InDelta(t, items/4, count(part), items/40)
	require.Equal(t, part, sampled(items, items/4, 1))
	require.NotEqual(t, part, sampled(items, items/4, 2))
	require.Zero(t, count(sampled(items, 0, 1)))
}
