package route_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// star sends everything through rank 0: a topology as a user would write it.
type star int

func (s star) Name() string { return "star" }
func (s star) Ranks() int   { return int(s) }
func (s star) Next(at, dest int) int {
	if at == 0 {
		return dest
	}
	return 0
}
func (s star) Neighbors(at int) (all []int) {
	for r := 1; r < int(s) && at == 0; r++ {
		all = append(all, r)
	}
	if at != 0 {
		all = []int{0}
	}
	return all
}

// ring is a topology whose methods a test may break.
type ring struct {
	ranks     int
	next      func(at, dest int) int
	neighbors func(at int) []int
}

func (r ring) Name() string           { return "ring" }
func (r ring) Ranks() int             { return r.ranks }
func (r ring) Next(at, dest int) int  { return r.next(at, dest) }
func (r ring) Neighbors(at int) []int { return r.neighbors(at) }

func goodRing(ranks int) ring {
	return ring{ranks,
		func(at, _ int) int { return (at + 1) % ranks },
		func(at int) []int { return []int{(at + 1) % ranks} }}
}

// Active Pebbles 3.4: k = P-1 neighbours without routing, log2 P on a hypercube; at most log2 P hops.
func TestShapesOfThePaper(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 31, 33, 64, 100, 127, 128} {
		d, err := route.Check(route.Direct(ranks))
		require.NoError(t, err)
		require.Equal(t, ranks-1, d.NeighborsMax)
		require.Equal(t, min(1, ranks-1), d.Diameter)

		h, err := route.Check(route.Hypercube(ranks))
		require.NoError(t, err, "%d ranks", ranks)
		log := bits.Len(uint(ranks - 1))
		require.LessOrEqual(t, h.NeighborsMax, log)
		require.LessOrEqual(t, h.Diameter, log)
		if ranks&(ranks-1) == 0 && ranks > 1 {
			require.Equal(t, log, h.NeighborsMax)
			require.Equal(t, log, h.Diameter)
			require.InDelta(t, float64(log)/2*float64(ranks)/float64(ranks-1), h.MeanHops, 1e-9)
		}
	}
}

func TestHypercubeHopsAreDifferingBits(t *testing.T) {
	const ranks = 77
	for at, dest := range pairs(ranks) {
		require.Len(t, path(route.Hypercube(ranks), at, dest), 1+bits.OnesCount(uint(at^dest)))
	}
}

// All routes to one rank form a tree of P-1 edges: reductions on the way merge into P-1 frames (Active Pebbles 3.5).
func TestHypercubeRoutesToOneRankAreATree(t *testing.T) {
	for _, ranks := range []int{2, 5, 8, 13, 64} {
		edges := map[[3]int]bool{} // with their root
		for at, root := range pairs(ranks) {
			way := path(route.Hypercube(ranks), at, root)
			for i, here := range way[1:] {
				edges[[3]int{root, way[i], here}] = true
			}
		}
		require.Len(t, edges, ranks*(ranks-1))
	}
}

// If P is a power of two all ranks forward the same number of routes; elsewhere none forwards many more than others.
func TestHypercubeHasNoBusyRank(t *testing.T) {
	for _, ranks := range []int{8, 64, 256, 5, 33, 96, 100, 255, 257} {
		passed, total := make([]int, ranks), 0
		for at, dest := range pairs(ranks) {
			way := path(route.Hypercube(ranks), at, dest)
			for _, here := range way[:len(way)-1] {
				passed[here]++
				total++
			}
		}
		most := slices.Max(passed)
		if ranks&(ranks-1) == 0 {
			require.Equal(t, total, most*ranks, ranks)
		}
		require.Less(t, float64(most*ranks)/float64(total), 2.2, ranks)
	}
}

// A plan agrees with the Next of a user's topology, too, as with ours in TestReadyMadeAreSound.
func TestPlanAgreesWithNext(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 6, 16, 37} {
		same(t, star(ranks))
	}
}

func BenchmarkFill(b *testing.B) {
	dests := make([]uint32, 256)
	lanes := make([]uint32, 256)
	for i := range dests {
		dests[i] = uint32(i*37) % 64
	}
	placed := route.TwoStage(64).(route.Placed)
	for _, topology := range []route.Topology{
		route.Hypercube(64), route.Mesh(4, 4, 4)(64), route.MeshOf(2)(65), route.Torus(4, 4, 4)(64),
		route.Ring(64), route.Tree(64),
		placed.Place([]int{0, 9, 17, 30, 50}), route.ThreeStage(64).(route.Placed).Place([]int{0, 9, 17, 30, 50}), star(64),
	} {
		b.Run(topology.Name(), func(b *testing.B) {
			p := route.NewPlan(topology, 5)
			for b.Loop() {
				p.Fill(dests, lanes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/pebble")
		})
	}
}
