package model_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// words are topologies for any number of ranks.
var words = []string{"direct", "hypercube", "mesh:2", "mesh:3", "ring", "tree", "two-stage", "three-stage",
	"hosts:hypercube"}

func byName(t testing.TB, name string) route.Constructor {
	c, err := route.ByName(name)
	require.NoError(t, err)
	return c
}

// made makes the topology as a job does.
func made(c route.Constructor, ranks, perProcess, perHost int) route.Topology {
	return route.PlaceOn(c(ranks), firsts{ranks, perProcess, perHost})
}

// firsts implements route.Places.
type firsts struct{ ranks, perProcess, perHost int }

func (f firsts) Firsts() []int { return f.every(f.perProcess) }
func (f firsts) Hosts() []int  { return f.every(f.perHost) }

func (f firsts) every(ranks int) (all []int) {
	for r := 0; r < f.ranks; r += ranks {
		all = append(all, r)
	}
	return all
}

func surveyed(t *testing.T, c route.Constructor, ranks int, l model.Layout) model.Shape {
	t.Helper()
	s, err := model.Survey(c, ranks, l)
	require.NoError(t, err)
	return s
}

// TestSurveyByHand follows each route separately, and counts.
func TestSurveyByHand(t *testing.T) {
	for _, name := range words {
		for _, ranks := range []int{1, 2, 3, 7, 8, 16, 21, 32, 48} {
			for _, layout := range []model.Layout{{}, {PerProcess: 4}, {PerProcess: 2, PerHost: 4}} {
				t.Run(fmt.Sprint(name, " ", ranks, layout), func(t *testing.T) {
					surveyByHand(t, byName(t, name), ranks, layout)
				})
			}
		}
	}
}

func surveyByHand(t *testing.T, c route.Constructor, ranks int, layout model.Layout) {
	s := surveyed(t, c, ranks, layout)
	perHost, perProcess := layout.PerHost, layout.PerProcess
	if perHost == 0 {
		perHost = ranks
	}
	if perProcess == 0 {
		perProcess = ranks
	}
	top := made(c, ranks, perProcess, perHost)
	checked, err := route.Check(top)
	require.NoError(t, err)
	require.Equal(t, checked.Diameter, s.Hops)
	require.InDelta(t, checked.MeanHops, s.MeanHops, 1e-9)
	require.Equal(t, checked.NeighborsMax, s.Neighbors)
	require.Equal(t, checked.Stages, s.Stages)
	var carried [3]float64 // by class: load of links
	links := map[[2]int]float64{}
	sent := make([]float64, ranks)
	for from := range ranks {
		for to := range ranks {
			for here := from; here != to; {
				next := top.Next(here, to)
				class := 2
				if here/perProcess == next/perProcess {
					class = 0
				} else if here/perHost == next/perHost {
					class = 1
				}
				carried[class]++
				sent[here]++
				links[[2]int{here, next}]++
				here = next
			}
		}
	}
	var counted [3]float64
	lanes, most := 0.0, 0.0
	for _, l := range s.Mean {
		counted[l.Class] += l.Count * l.Pebbles * float64(ranks)
		lanes += l.Count * float64(ranks)
	}
	for _, l := range s.Busiest {
		most += l.Count * l.Pebbles
	}
	for class := range carried {
		require.InDelta(t, carried[class], counted[class], 1e-6, "class %d", class)
	}
	require.InDelta(t, len(links), lanes, 1e-6)
	largest := 0.0
	for _, n := range sent {
		largest = max(largest, n)
	}
	require.InDelta(t, largest, most, 1e-6)
}

// TestSamples compares the walks to some ranks with the walks to all.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks int
		off   float64 // relative
	}{
		{"direct", 300, 1e-9}, {"hypercube", 256, 1e-9}, {"mesh:8x8x8", 512, 1e-9}, {"mesh:4x8x16", 512, 1e-9},
		{"ring", 256, 0.02},
		{"torus:16x16", 256, 0.02}, {"tree", 512, 0.1}, {"hypercube", 300, 0.1}, {"mesh:3", 300, 0.1},
		{"two-stage", 512, 1e-9},
		{"three-stage", 512, 0.1}, {"hosts:hypercube", 512, 1e-9}, {"hosts:mesh:2", 512, 0.1},
	} {
		layout := model.Layout{PerProcess: 8, PerHost: 64}
		exact := surveyed(t, byName(t, c.name), c.ranks, layout)
		some, err := model.SurveyBySamples(byName(t, c.name), c.ranks, layout)
		require.NoError(t, err)
		require.False(t, some.Exact)
		require.True(t, exact.Exact)
		require.Equal(t, exact.Hops, some.Hops, c)
		require.Equal(t, exact.Stages, some.Stages, c)
		require.InEpsilon(t, exact.Neighbors, some.Neighbors, c.off, c)
		require.InEpsilon(t, exact.MeanHops, some.MeanHops, c.off, c)
		require.InEpsilon(t, carriedBy(exact.Mean), carriedBy(some.Mean), c.off, c)
		require.InEpsilon(t, lanesOf(exact.Mean), lanesOf(some.Mean), c.off, c)
		require.InEpsilon(t, carriedBy(exact.Busiest), carriedBy(some.Busiest), 0.2, c)
	}
}

func carriedBy(all []model.Lanes) (sum float64) {
	for _, l := range all {
		sum += l.Count * l.Pebbles
	}
	return sum
}

func lanesOf(all []model.Lanes) (sum float64) {
	for _, l := range all {
		sum += l.Count
	}
	return sum
}

// TestBusiest: a tree's root carries P² less the squares of the sizes of its children's subtrees.
func TestBusiest(t *testing.T) {
	for _, ranks := range []int{1 << 10, 1 << 13} {
		s := surveyed(t, route.Tree, ranks, model.Layout{})
		n := float64(ranks)
		require.InEpsilon(t, n*n*2/3, carriedBy(s.Busiest), 0.01, ranks)
		even := surveyed(t, route.Ring, ranks, model.Layout{})
		require.Equal(t, even.Mean, even.Busiest)
		fixed := surveyed(t, route.Mesh(2, ranks/2), ranks, model.Layout{})
		require.Equal(t, fixed.Mean, fixed.Busiest)
	}
	exact := surveyed(t, route.Hypercube, 512, model.Layout{})
	some, err := model.SurveyBySamples(route.Hypercube, 512, model.Layout{})
	require.NoError(t, err)
	require.InEpsilon(t, carriedBy(exact.Busiest), carriedBy(some.Busiest), 0.05)
}

// TestManyRanks: buffers of a hypercube grow as log2 P, frames as P log2 P, and nothing takes long.
func TestManyRanks(t *testing.T) {
	for _, log := range []int{10, 14, 16} {
		ranks := 1 << log
		s := surveyed(t, route.Hypercube, ranks, model.Layout{PerProcess: 4, PerHost: 64})
		require.Equal(t, log, s.Neighbors)
		require.Equal(t, log, s.Hops)
		require.InEpsilon(t, float64(log)/2*float64(ranks)/float64(ranks-1), s.MeanHops, 1e-9)
		require.InEpsilon(t, log, lanesOf(s.Mean), 1e-9)
		require.InEpsilon(t, float64(ranks*log/2), carriedBy(s.Mean), 1e-4)
		for _, l := range s.Mean {
			require.InEpsilon(t, ranks/2, l.Pebbles, 0.13) // 16 ranks don't have each bit exactly half of the time
		}
		d := surveyed(t, route.Direct, ranks, model.Layout{})
		require.InEpsilon(t, ranks-1, lanesOf(d.Mean), 1e-9)
	}
}

func TestSurveyRefuses(t *testing.T) {
	looping := func(ranks int) route.Topology { return lost{route.Ring(ranks)} }
	for want, c := range map[string]struct {
		topology route.Constructor
		ranks    int
		layout   model.Layout
	}{
		"multiply to 9":        {route.Mesh(3, 3), 8, model.Layout{}},
		"give a constructor":   {nil, 8, model.Layout{}},
		"at least one":         {route.Direct, 0, model.Layout{}},
		"whole processes of 3": {route.Direct, 8, model.Layout{PerProcess: 3, PerHost: 4}},
		"positive":             {route.Direct, 8, model.Layout{PerProcess: -1}},
		"does not arrive":      {looping, 8, model.Layout{}},
	} {
		_, err := model.Survey(c.topology, c.ranks, c.layout)
		require.ErrorContains(t, err, want)
	}
}

// lost is a topology that loops.
type lost struct{ route.Topology }

func (lost) Next(at, _ int) int { return at ^ 1 }
