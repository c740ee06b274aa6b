package bfs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// In an ordered graph each rank's vertices fall in degree, each row is in the order of its heads' places, and the edges are
// those of the source. In any graph, a row has each head once, and not its own vertex.
func TestOrder(t *testing.T) {
	for _, order := range []Order{AsGiven, ByDegree} {
		source := Source{Generator: kronecker(t, 9), Order: order}
		c, _, err := load(source)
		require.NoError(t, err)
		require.NoError(t, job(t, pebble.Config{Ranks: 5}, func(r *pebble.Rank) error {
			g, err := Build(r, source)
			if err != nil {
				return err
			}
			require.Equal(t, order == ByDegree, g.Ordered)
			var indices []uint64
			for v := range g.Vertices {
				indices = append(indices, v)
			}
			numbers, err := g.numbers(indices)
			if err != nil {
				return err
			}
			back, err := g.indices(numbers)
			require.Equal(t, indices, back)
			size := g.owner.Key(1, 0)
			for v := range g.local {
				number := numbers[g.first+uint64(v)]
				want := slices.Clone(c.Row(number))
				require.Equal(t, uint64(len(want)), g.narrow.counts[v])
				require.True(t, order != ByDegree || v == 0 || g.narrow.counts[v] <= g.narrow.counts[v-1])
				slices.Sort(want)
				want = slices.DeleteFunc(slices.Compact(want), func(head uint64) bool { return head == number })
				got, places := []uint64{}, []uint64{}
				for _, head := range g.narrow.row(uint32(v)) {
					got = append(got, numbers[head])
					places = append(places, uint64(head)%size)
				}
				require.True(t, order != ByDegree || slices.IsSorted(places))
				slices.Sort(got)
				require.Equal(t, want, got)
			}
			return err
		}))
	}
}

// OrderAuto orders what is skewed, and nothing directed.
func TestOrderAuto(t *testing.T) {
	star := list{n: 300}
	for v := uint64(1); v < star.n; v++ {
		star.edges = append(star.edges, graph.Edge{From: v, To: 0})
	}
	arcs := star
	arcs.directed = true
	for _, c := range []struct {
		source Source
		want   bool
	}{
		{Source{Generator: star}, true}, {Source{Generator: star, Order: AsGiven}, false}, {Source{Generator: arcs}, false},
		{Source{Generator: arcs, Undirected: true}, true}, {Source{Generator: list{n: 7, edges: ring}}, false},
		{Source{Generator: list{n: 7, edges: ring}, Order: ByDegree}, true}, {Source{Generator: list{n: 7}}, false},
		{Source{Generator: erdosRenyi(t, 12, 8), Undirected: true}, false}, {Source{Generator: kronecker(t, 14)}, true},
	} {
		require.NoError(t, job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			g, err := Build(r, c.source)
			if err == nil {
				require.Equal(t, c.want, g.Ordered, c.source.Name())
			}
			return err
		}))
	}
	_, err := run(t, pebble.Config{Ranks: 2}, Config{Source: Source{Generator: arcs, Order: ByDegree}})
	require.ErrorContains(t, err, "order by degree is for undirected graphs")
	path := write(t, "arcs.el", "1 2\n2 3\n")
	_, err = run(t, pebble.Config{Ranks: 2}, Config{Source: Source{Path: path, Order: ByDegree}})
	require.ErrorContains(t, err, "order by degree is for undirected graphs")
}

func TestArrange(t *testing.T) {
	const vertices = 1000
	random := rand.New(rand.NewPCG(1, 2))
	a := newArranger[uint32](vertices)
	for _, n := range []int{0, 1, len(a) - 1, len(a), 64, vertices} {
		var list []uint32
		for _, v := range random.Perm(vertices)[:n] {
			list = append(list, uint32(v))
		}
		want := slices.Clone(list)
		if n >= len(a) {
			slices.Sort(want)
		}
		a.arrange(list)
		require.Equal(t, want, list)
	}
}

// Lines give back each vertex that joined, lowest level first, and keep nothing for the next search.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := lines[uint32]{inOrder: newArranger[uint32](1000)}
	for range 3 {
		l.clear()
		want := map[[2]uint32]int{}
		for range 500 {
			v, level := random.Uint32N(1000), random.Uint32N(50)
			if want[[2]uint32{v, level}] > 0 {
				continue // a level falls to another but once
			}
			want[[2]uint32{v, level}]++
			l.join(v, level)
		}
		before := uint32(0)
		for l.count > 250 { // the rest is forgotten
			level := l.lowest()
			require.GreaterOrEqual(t, level, before)
			before = level
			v, ok := l.leave(level)
			if !ok {
				continue
			}
			want[[2]uint32{v, level}]--
			require.Zero(t, want[[2]uint32{v, level}])
		}
		l.join(7, 0)
		require.Equal(t, uint32(0), l.lowest(), "a late low level goes first")
	}
}
