package distgraph

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// ring has six vertices in a ring, and an isolated seventh.
var ring = []graph.Edge{
	{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 4, To: 5}, {From: 5, To: 0},
}

// build builds a graph on two ranks.
func build(t *testing.T, source Source) error {
	t.Helper()
	return appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		_, err := Build(r, source)
		return err
	})
}

func cutGzip(tb testing.TB) string {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range 5000 {
		_, err := w.Write([]byte("1 2\n2 3\n3 1\n"))
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return packed.String()[:packed.Len()-6]
}

// An error in a file is the same on every rank, over every transport, and the job can go on.
func TestFileErrors(t *testing.T) {
	for name, c := range map[string]struct{ path, says string }{
		"missing":         {filepath.Join(t.TempDir(), "none.el"), "none.el: no such file"},
		"a folder":        {t.TempDir(), "is a folder"},
		"truncated":       {appstest.Write(t, "cut.el.gz", cutGzip(t)), "fetch it again"},
		"fewer than told": {appstest.Write(t, "few.gr", "p tw 4 3\n1 2\n2 3\n"), "few.gr"},
		"more than told":  {appstest.Write(t, "more.gr", "p tw 4 1\n1 2\n2 3\n"), "more.gr"},
		"more nodes":      {appstest.Write(t, "nodes.el", "# Nodes: 2 Edges: 2\n1 2\n2 3\n"), "2 nodes, the edges name 3"},
		"no graph":        {appstest.Write(t, "poem.el", "so much depends\nupon\n"), "poem.el"},
		"out of range":    {appstest.Write(t, "far.gr", "p tw 4 2\n1 2\n2 5\n"), "far.gr"},
		"does not fit": {appstest.Write(t, "huge.gr", "p tw 200000000000000 1\n1 2\n"),
			"200000000000000 vertices and 1 edges need about"},
		"isolated do not fit": {appstest.Write(t, "huge.el", "# Nodes: 200000000000000 Edges: 1\n1 2\n"),
			"200000000000000 vertices and 1 edges need about"},
		"empty":            {appstest.Write(t, "empty.el", ""), "empty"},
		"64 bits overflow": {appstest.Write(t, "long.el", "1 2\n3 99999999999999999999999\n"), "long.el"},
	} {
		for _, s := range []appstest.Shape{
			{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
			{Ranks: 4, Procs: 1, Transport: "mem", New: route.Hypercube},
			{Ranks: 3, Procs: 3, Transport: "tcp", New: route.Direct},
		} {
			t.Run(name+", "+s.String(), func(t *testing.T) {
				errs := make([]error, s.Ranks)
				require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
					_, errs[r.ID()] = Build(r, Source{Path: c.path})
					return nil
				}))
				for _, err := range errs {
					require.ErrorContains(t, err, c.says)
				}
			})
		}
	}
}

// A file may change between the two passes. All ranks must get the error, in the middle of an epoch.
func TestFileChanges(t *testing.T) {
	for before, after := range map[string]string{
		"p tw 4 2\n1 2\n2 4\n": "p tw 4 2\n1 2\n2 9\n", "p tw 4 2\n1 2\n2 3\n": "p tw 4 2\n1 2\nc  \n",
		"0 2\n2 1\n": "0 2\n2 3\n", "1 9\n2 7\n": "1 9\n#2 7", "1 9\n7 2\n": "1 9\n5 7\n", "1 9\n7 3\n": "1 9\n",
	} {
		source := Source{Path: appstest.Write(t, "some", before)}
		source.Phase = func(phase string) {
			if phase == "edges sent" {
				require.NoError(t, os.WriteFile(source.Path, []byte(after), 0o600))
			}
		}
		require.Error(t, appstest.Job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			_, err := Build(r, source)
			return err
		}), after)
	}

	gone := errors.New("gone")
	err := appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		return r.Epoch(func() error {
			if r.ID() == 0 {
				return gone
			}
			return nil
		})
	})
	require.ErrorIs(t, err, gone)
}

// In an ordered graph the degrees of each rank's vertices decrease, each row is in the order of its heads' places, and
// the edges are those of the source. In any graph, a row contains each head once, and not its own vertex.
func TestOrder(t *testing.T) {
	for _, order := range []Order{AsGiven, ByDegree} {
		source := Source{Generator: appstest.Kronecker(t, 9), Order: order}
		c, _, err := source.Load()
		require.NoError(t, err)
		const ranks = 5
		graphs, numbers, back := make([]*Graph, ranks), make([][]uint64, ranks), make([][]uint64, ranks)
		var indices []uint64
		for v := range c.Vertices() {
			indices = append(indices, v)
		}
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) (err error) {
			id := r.ID()
			if graphs[id], err = Build(r, source); err != nil {
				return err
			}
			if numbers[id], err = graphs[id].NumbersOf(indices); err != nil {
				return err
			}
			back[id], err = graphs[id].IndicesOf(numbers[id])
			return err
		}))
		for id, g := range graphs {
			require.Equal(t, order == ByDegree, g.Ordered)
			require.Equal(t, indices, back[id])
			requireRows(t, c, g, numbers[id])
		}
	}
}

// requireRows requires that a rank's rows equal those of c.
func requireRows(t *testing.T, c *graph.CSR, g *Graph, numbers []uint64) {
	t.Helper()
	size := g.Owner.Key(1, 0)
	for v := range g.Local {
		number := numbers[g.First+uint64(v)]
		want := slices.Clone(c.Row(number))
		require.Equal(t, uint64(len(want)), g.Narrow.Counts[v])
		require.True(t, !g.Ordered || v == 0 || g.Narrow.Counts[v] <= g.Narrow.Counts[v-1])
		slices.Sort(want)
		want = slices.DeleteFunc(slices.Compact(want), func(head uint64) bool { return head == number })
		got, places := []uint64{}, []uint64{}
		for _, head := range g.Narrow.Row(uint32(v)) {
			got = append(got, numbers[head])
			places = append(places, uint64(head)%size)
		}
		require.True(t, !g.Ordered || slices.IsSorted(places))
		slices.Sort(got)
		require.Equal(t, want, got)
	}
}

// OrderAuto orders skewed graphs, and no directed graph.
func TestOrderAuto(t *testing.T) {
	star := appstest.List{N: 300}
	for v := uint64(1); v < star.N; v++ {
		star.Edges = append(star.Edges, graph.Edge{From: v, To: 0})
	}
	arcs := star
	arcs.Directed = true
	for _, c := range []struct {
		source Source
		want   bool
	}{
		{Source{Generator: star.Generator()}, true},
		{Source{Generator: star.Generator(), Order: AsGiven}, false},
		{Source{Generator: arcs.Generator()}, false},
		{Source{Generator: arcs.Generator(), Undirected: true}, true},
		{Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()}, false},
		{Source{Generator: appstest.List{N: 7, Edges: ring}.Generator(), Order: ByDegree}, true},
		{Source{Generator: appstest.List{N: 7}.Generator()}, false},
		{Source{Generator: appstest.ErdosRenyi(t, 12, 8), Undirected: true}, false},
		{Source{Generator: appstest.Kronecker(t, 14)}, true},
	} {
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			g, err := Build(r, c.source)
			if err == nil && g.Ordered != c.want {
				err = fmt.Errorf("%s: ordered is %v", c.source.Name(), g.Ordered)
			}
			return err
		}))
	}
	err := build(t, Source{Generator: arcs.Generator(), Order: ByDegree})
	require.ErrorContains(t, err, "order by degree is for undirected graphs")
	path := appstest.Write(t, "arcs.el", "1 2\n2 3\n")
	err = build(t, Source{Path: path, Order: ByDegree})
	require.ErrorContains(t, err, "order by degree is for undirected graphs")
}

// The drawn roots depend only on the graph and the seed.
func TestDraw(t *testing.T) {
	source := Source{Generator: appstest.ErdosRenyi(t, 8, 1)}
	c, _, err := source.Load()
	require.NoError(t, err)
	fit := map[uint64]bool{}
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			if w != v {
				fit[v] = true
			}
		}
	}
	draw := func(ranks, count int, seed uint64) (roots []uint64) {
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			g := appstest.Must(Build(r, source))
			drawn, err := g.Draw(count, seed)
			if r.ID() == r.Size()-1 {
				roots = drawn
			}
			return err
		}))
		return roots
	}
	some := draw(1, 20, 5)
	require.Len(t, some, 20)
	require.Equal(t, some, draw(3, 20, 5))
	require.Equal(t, some, draw(40, 20, 5))
	require.NotEqual(t, some, draw(3, 20, 6))
	all := draw(4, 1000, 5)
	require.Len(t, all, len(fit))
	for _, root := range all {
		require.True(t, fit[root])
		delete(fit, root)
	}
	require.Empty(t, fit)
}

func TestArrange(t *testing.T) {
	const vertices = 1000
	random := rand.New(rand.NewPCG(1, 2))
	a := NewArranger[uint32](vertices)
	for _, n := range []int{0, 1, len(a) - 1, len(a), 64, vertices} {
		var list []uint32
		for _, v := range random.Perm(vertices)[:n] {
			list = append(list, uint32(v))
		}
		want := slices.Clone(list)
		if n >= len(a) {
			slices.Sort(want)
		}
		a.Arrange(list)
		require.Equal(t, want, list)
	}
}

// Each row has the lightest of the arcs to one head, in any order of vertices, with random and with given weights.
func TestWeights(t *testing.T) {
	file := appstest.Write(t, "some.el", "7 9 0.5\n9 7 0.25\n9 9 3\n7 1 1e3\n7 9 2\n")
	for _, source := range []Source{
		{Generator: appstest.Kronecker(t, 8), Weights: Random, Seed: 4},
		{Generator: appstest.Kronecker(t, 8), Weights: Random, Order: ByDegree},
		{Generator: appstest.ErdosRenyi(t, 8, 4), Weights: Ones}, {Path: file, Weights: Given},
		{Path: file, Weights: Given, Undirected: true, Wide: true},
		{Path: file, Weights: Given, Undirected: true, Order: ByDegree},
	} {
		c, _, err := source.Load()
		require.NoError(t, err)
		indices := make([]uint64, c.Vertices())
		for v := range indices {
			indices[v] = uint64(v)
		}
		for _, ranks := range []int{1, 3, 5} {
			t.Run(fmt.Sprintf("%s, %s, %d ranks", source.Name(), source.Order, ranks), func(t *testing.T) {
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					g := appstest.Must(Build(r, source))
					numbers := appstest.Must(g.NumbersOf(indices))
					if g.Wide != nil {
						return sameRows(c, g, g.Wide, numbers)
					}
					return sameRows(c, g, g.Narrow, numbers)
				}))
			})
		}
	}
}

func sameRows[V Index](c *graph.CSR, g *Graph, p *Part[V], numbers []uint64) error {
	for v := range g.Local {
		number := numbers[g.First+uint64(v)]
		want := map[uint64]float64{}
		for i, head := range c.Row(number) {
			before, known := want[head]
			if weight := c.WeightsOf(number)[i]; head != number && (!known || weight < before) {
				want[head] = weight
			}
		}
		got := map[uint64]float64{}
		for i, head := range p.Row(V(v)) {
			got[numbers[head]] = p.WeightsOf(V(v))[i]
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || len(got) != len(p.Row(V(v))) {
			return fmt.Errorf("vertex %d has arcs %v, not %v", number, got, want)
		}
	}
	return nil
}

func TestNoWeights(t *testing.T) {
	l := appstest.List{N: 2, Edges: []graph.Edge{{From: 0, To: 1}}}
	given := func() error { return build(t, Source{Generator: l.Generator(), Weights: Given}) }
	require.ErrorContains(t, given(), "has no weights of its own: take random weights, or one each")
	err := build(t, Source{Generator: l.Generator(), Weights: "heavy"})
	require.ErrorContains(t, err, `weights "heavy" are not one of given, random, one`)
	require.ErrorIs(t, build(t, Source{Path: appstest.Write(t, "none.el", "1 2\n"), Weights: Given}), ingest.ErrUnweighted)
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		l.Weights = []float64{w}
		require.ErrorContains(t, given(), "expected a finite number of 0 or more")
	}
}
