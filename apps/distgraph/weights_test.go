package distgraph

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Each row has the lightest of the arcs to one head, in any order of vertices, whether weights are random or given.
func TestWeights(t *testing.T) {
	file := appstest.Write(t, "some.el", "7 9 0.5\n9 7 0.25\n9 9 3\n7 1 1e3\n7 9 2\n")
	for _, source := range []Source{
		{Generator: appstest.Kronecker(t, 8), Weights: Random, Seed: 4}, {Generator: appstest.Kronecker(t, 8), Weights: Random, Order: ByDegree},
		{Generator: appstest.ErdosRenyi(t, 8, 4), Weights: Ones}, {Path: file, Weights: Given}, {Path: file, Weights: Given, Undirected: true, Wide: true},
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
					g, err := Build(r, source)
					if err != nil {
						return err
					}
					numbers, err := g.NumbersOf(indices)
					if err != nil {
						return err
					}
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
	require.ErrorContains(t, build(t, Source{Generator: l.Generator(), Weights: Given}), "has no weights of its own: take random ones, or one each")
	require.ErrorContains(t, build(t, Source{Generator: l.Generator(), Weights: "heavy"}), `weights "heavy" are not one of given, random, one`)
	require.ErrorIs(t, build(t, Source{Path: appstest.Write(t, "none.el", "1 2\n"), Weights: Given}), graph.ErrUnweighted)
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		l.Weights = []float64{w}
		require.ErrorContains(t, build(t, Source{Generator: l.Generator(), Weights: Given}), "no finite number of 0 or more")
	}
}
