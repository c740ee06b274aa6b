package route_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/route"
)

// random makes a source of random numbers. A failing test prints its seed.
func random(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(seeds.Of(t), 0))
}

// pairs yields all pairs of ranks.
func pairs(ranks int) iter.Seq2[int, int] {
	return func(yield func(at, dest int) bool) {
		for i := range ranks * ranks {
			if !yield(i/ranks, i%ranks) {
				return
			}
		}
	}
}

// exhaustive is the largest number of ranks for walks over all pairs of all topologies.
const exhaustive = 72

// placement draws the first ranks of the processes of a job.
func placement(rng *rand.Rand, ranks int) []int {
	first := []int{0}
	for r := 1; r < ranks; r++ {
		if rng.IntN(1+rng.IntN(8)) == 0 {
			first = append(first, r)
		}
	}
	return first
}

// even returns the first ranks of processes of the given number of cores; the last may have fewer.
func even(ranks, cores int) (first []int) {
	for r := 0; r < ranks; r += cores {
		first = append(first, r)
	}
	return first
}

// factors returns all ways to write a number as a product of the given number of sizes, 1 among them.
func factors(n, parts int) (all [][]int) {
	if parts == 1 {
		return [][]int{{n}}
	}
	for size := 1; size <= n; size++ {
		if n%size == 0 {
			for _, rest := range factors(n/size, parts-1) {
				all = append(all, append([]int{size}, rest...))
			}
		}
	}
	return all
}

var orders = [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// ready returns the ready-made topologies of the given number of ranks.
func ready(t testing.TB, rng *rand.Rand, ranks int) (all []route.Topology) {
	for _, name := range append(route.Names(), "mesh:1", "mesh:4", "mesh:7") {
		c, err := route.ByName(name)
		require.NoError(t, err)
		all = append(all, c(ranks))
	}
	for _, first := range [][]int{
		even(ranks, 1), even(ranks, 2), even(ranks, 5), even(ranks, 8), placement(rng, ranks), placement(rng, ranks),
	} {
		for _, c := range []route.Constructor{route.TwoStage, route.ThreeStage} {
			all = append(all, c(ranks).(route.Placed).Place(first))
		}
		inner := []route.Constructor{route.Hypercube, route.MeshOf(2), route.Tree, route.Direct}[len(first)%4]
		all = append(all, onHosts(inner, ranks, first))
	}
	all = append(all, route.Dynamic(route.TwoStage)(ranks).(route.Placed).Place(placement(rng, ranks)),
		route.Dynamic(route.Hosts(route.MeshOf(3)))(ranks).(route.Hosted).OnHosts(placement(rng, ranks)))
	for parts := 1; parts <= 3; parts++ {
		for i, dims := range factors(ranks, parts) {
			if parts < 3 || !slices.Contains(dims, 1) {
				all = append(all, route.Mesh(dims...)(ranks), route.Torus(dims...)(ranks))
			}
			if parts == 3 {
				all = append(all, route.MeshIn(orders[i%len(orders)], dims...)(ranks))
			}
		}
	}
	return all
}

// distances walks all routes, checks all promises of a topology, and returns the hops of each.
func distances(t testing.TB, topology route.Topology) [][]int {
	ranks := topology.Ranks()
	staged, _ := topology.(route.Staged)
	all := make([][]int, ranks)
	near := make([][]bool, ranks)
	for at := range ranks {
		near[at] = make([]bool, ranks)
		for _, n := range topology.Neighbors(at) {
			if n < 0 || n >= ranks || n == at || near[at][n] {
				t.Fatalf("%s: neighbours of %d: %v", topology.Name(), at, topology.Neighbors(at))
			}
			near[at][n] = true
		}
	}
	for at := range ranks {
		all[at] = make([]int, ranks)
		for dest := range ranks {
			stage := -1
			for here := at; here != dest; all[at][dest]++ {
				next := topology.Next(here, dest)
				if next < 0 || next >= ranks || !near[here][next] || all[at][dest] > ranks {
					t.Fatalf("%s over %d: %d to %d goes from %d to %d", topology.Name(), ranks, at, dest, here, next)
				}
				if staged != nil {
					s := staged.Stage(here, next)
					if s <= stage || s >= staged.Stages() {
						t.Fatalf("%s over %d: %d to %d: stage %d after %d", topology.Name(), ranks, at, dest, s, stage)
					}
					stage = s
				}
				here = next
			}
		}
	}
	return all
}

// same fails unless Slots and a plan return the same next hops as Next.
func same(t testing.TB, topology route.Topology) {
	ranks := topology.Ranks()
	dests, slots := make([]uint32, ranks), make([]uint32, ranks)
	for d := range dests {
		dests[d] = uint32(d)
	}
	router, routes := topology.(route.Router)
	for at := range ranks {
		near := topology.Neighbors(at)
		if routes {
			router.Slots(at, dests, slots)
			for dest, slot := range slots {
				if dest == at && int(slot) != len(near) || dest != at && near[slot] != topology.Next(at, dest) {
					t.Fatalf("%s over %d: slot %d of %v at %d for %d", topology.Name(), ranks, slot, near, at, dest)
				}
			}
		}
		plan := route.NewPlan(topology, at)
		plan.Fill(dests, slots)
		require.False(t, plan.Identity() && !slices.Equal(dests, slots), topology.Name())
		for dest, lane := range slots {
			if dest == at && int(lane) != plan.Self || dest != at && plan.Lanes[lane] != topology.Next(at, dest) {
				t.Fatalf("%s over %d: lane %d of %v at %d for %d", topology.Name(), ranks, lane, plan.Lanes, at, dest)
			}
		}
	}
}

// Every ready-made topology, over all pairs, for all numbers of ranks up to a bound. Its promises are tight: the
// longest route is as long as Hops, or a little shorter over uneven nodes, and the way to a neighbour is one hop.
func TestReadyMadeAreSound(t *testing.T) {
	rng := random(t)
	most := exhaustive
	if testing.Short() {
		most = 26
	}
	for ranks := 1; ranks <= most; ranks++ {
		for _, topology := range ready(t, rng, ranks) {
			name := fmt.Sprintf("%s over %d", topology.Name(), ranks)
			hops := distances(t, topology)
			shape, err := route.Check(topology)
			if err != nil || !route.Proven(topology) || topology.Ranks() != ranks {
				t.Fatalf("%s: %v", name, err)
			}
			if want := shapeOf(topology, hops); shape != want {
				t.Fatalf("%s: Check finds %v, walking %v", name, shape, want)
			}
			least := max(1, shape.Diameter)
			if most, ok := route.Hops(topology); ok && (most < least || most > least+spare(topology)) {
				t.Fatalf("%s: Hops promises %d, the longest has %d", name, most, shape.Diameter)
			}
			for at := range ranks {
				for _, n := range topology.Neighbors(at) {
					if hops[at][n] != 1 {
						t.Fatalf("%s: from %d to its neighbour %d it is %d hops", name, at, n, hops[at][n])
					}
				}
			}
			same(t, topology)
		}
	}
}

// spare is how many hops a topology may promise beyond its longest route: where nodes are uneven, not every pair has
// the ranks for one.
func spare(topology route.Topology) int {
	if name := topology.Name(); name == "two-stage" || strings.HasPrefix(name, "hosts:") {
		return 2
	}
	return 0
}

// shapeOf returns the expected result of Check.
func shapeOf(topology route.Topology, hops [][]int) route.Shape {
	s := route.Shape{Ranks: len(hops)}
	sum := 0
	for at := range hops {
		n := len(topology.Neighbors(at))
		s.NeighborsMax, s.Links = max(s.NeighborsMax, n), s.Links+n
		for _, h := range hops[at] {
			s.Diameter, sum = max(s.Diameter, h), sum+h
		}
	}
	if n := len(hops); n > 1 {
		s.MeanHops = float64(sum) / float64(n*(n-1))
	}
	if staged, ok := topology.(route.Staged); ok {
		s.Stages = staged.Stages()
	}
	return s
}

func TestReadyMadeKeepInterfaces(t *testing.T) {
	stages := map[string]bool{"direct": true, "hypercube": true, "mesh:3": true, "tree": true, "two-stage": true,
		"mesh:2": true, "hosts:hypercube": true, "hosts:mesh:2": true}
	for _, topology := range ready(t, random(t), 12)[:len(route.Names())] {
		_, router := topology.(route.Router)
		_, bounded := topology.(route.Bounded)
		_, staged := topology.(route.Staged)
		_, watching := topology.(route.Watching)
		require.Equal(t, !watching, router, topology.Name())
		require.Equal(t, !watching, bounded, topology.Name())
		require.Equal(t, stages[topology.Name()], staged, topology.Name())
	}
}

// A rank receives from those that have it as a neighbour.
func TestIncoming(t *testing.T) {
	rng := random(t)
	oneWay := goodRing(7)
	for _, topology := range append(ready(t, rng, 24), ready(t, rng, 31)...) {
		checkIncoming(t, topology)
	}
	checkIncoming(t, star(6))
	checkIncoming(t, oneWay)
	require.Equal(t, []int{6}, route.Incoming(oneWay, 0))
}

func checkIncoming(t *testing.T, topology route.Topology) {
	want := make([][]int, topology.Ranks())
	for r := range want {
		for _, n := range topology.Neighbors(r) {
			want[n] = append(want[n], r)
		}
	}
	for at := range want {
		require.Equal(t, want[at], slices.Sorted(slices.Values(route.Incoming(topology, at))), "%s at %d", topology.Name(),
			at)
	}
}

// The promise of Staged, checked without stages: links that follow each other on a route form no cycle. In a topology
// without stages the links form one, so it could have none.
func TestCyclesOfLinks(t *testing.T) {
	rng := random(t)
	for ranks := 1; ranks <= 26; ranks++ {
		for _, topology := range ready(t, rng, ranks) {
			if _, staged := topology.(route.Staged); staged {
				require.False(t, cyclic(topology), "%s over %d", topology.Name(), ranks)
			}
		}
	}
	require.True(t, cyclic(route.Ring(5)))
	require.True(t, cyclic(route.Torus(5, 2)(10)))
	require.True(t, cyclic(route.ThreeStage(12).(route.Placed).Place(even(12, 4))))
}

// cyclic removes links without predecessors until none can be removed.
func cyclic(topology route.Topology) bool {
	after := map[[2]int]map[[2]int]bool{}
	before := map[[2]int]int{}
	for at, dest := range pairs(topology.Ranks()) {
		last := [2]int{-1, -1}
		for here := at; here != dest; here = last[1] {
			link := [2]int{here, topology.Next(here, dest)}
			if after[link] == nil {
				after[link] = map[[2]int]bool{}
			}
			if last[0] >= 0 && !after[last][link] {
				after[last][link] = true
				before[link]++
			}
			last = link
		}
	}
	var free [][2]int
	for link := range after {
		if before[link] == 0 {
			free = append(free, link)
		}
	}
	taken := 0
	for ; len(free) > 0; taken++ {
		link := free[0]
		free = free[1:]
		for next := range after[link] {
			if before[next]--; before[next] == 0 {
				free = append(free, next)
			}
		}
	}
	return taken < len(after)
}

// A job of thousands of ranks is proven within seconds.
func TestCheckAtScale(t *testing.T) {
	if testing.Short() {
		t.Skip("walks 84 million routes")
	}
	const ranks = 4096
	for topology, want := range map[route.Topology]route.Shape{
		route.Hypercube(ranks):         {Diameter: 12, NeighborsMax: 12, MeanHops: 6, Links: 12 * ranks, Stages: 12},
		route.Mesh(8, 16, 32)(ranks):   {Diameter: 3, NeighborsMax: 53, MeanHops: 3 - 7./32, Links: 53 * ranks, Stages: 3},
		route.Torus(16, 16, 16)(ranks): {Diameter: 24, NeighborsMax: 6, MeanHops: 12, Links: 6 * ranks},
		route.Tree(ranks):              {Diameter: 23, NeighborsMax: 12, MeanHops: 11, Links: 2 * (ranks - 1), Stages: 24},
		twoStage(ranks, even(ranks, 64)): {Diameter: 2, NeighborsMax: 126, MeanHops: 2 - 2./64, Links: 126 * ranks,
			Stages: 2},
	} {
		shape, err := route.Check(topology)
		require.NoError(t, err)
		require.InDelta(t, want.MeanHops*ranks/(ranks-1), shape.MeanHops, 0.003, topology.Name())
		want.Ranks, want.MeanHops = ranks, shape.MeanHops
		require.Equal(t, want, shape, topology.Name())
	}
}

func twoStage(ranks int, first []int) route.Topology {
	return route.TwoStage(ranks).(route.Placed).Place(first)
}

// Routing takes no memory in steady state.
func TestSlotsAllocateNothing(t *testing.T) {
	dests, slots := make([]uint32, 48), make([]uint32, 48)
	for i := range dests {
		dests[i] = uint32(i)
	}
	for _, topology := range ready(t, random(t), 48) {
		if router, ok := topology.(route.Router); ok {
			require.Zero(t, testing.AllocsPerRun(20, func() { router.Slots(47, dests, slots) }), topology.Name())
		}
	}
}
