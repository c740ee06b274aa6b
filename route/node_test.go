package route_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// node is a plain view of a placement: process and core by rank, and rank by both.
type node struct {
	process, core []int
	rank          [][]int
}

func nodes(ranks int, first []int) (n node) {
	for r := range ranks {
		if slices.Contains(first, r) {
			n.rank = append(n.rank, nil)
		}
		p := len(n.rank) - 1
		n.process, n.core = append(n.process, p), append(n.core, len(n.rank[p]))
		n.rank[p] = append(n.rank[p], r)
	}
	return n
}

func (n node) way(ranks ...int) []int { return slices.Compact(ranks) }

func TestTwoStageRoutes(t *testing.T) {
	rng := random(t)
	for range 60 {
		ranks := 1 + rng.IntN(40)
		first := placement(rng, ranks)
		n, topology := nodes(ranks, first), route.TwoStage(ranks).(route.Placed).Place(first)
		for at, dest := range pairs(ranks) {
			want := n.way(at, dest)
			if p, q := n.process[at], n.process[dest]; p != q {
				column := n.core[dest] % n.smallest()
				want = n.way(at, n.rank[p][column], n.rank[q][column], dest)
			}
			require.Equal(t, want, path(topology, at, dest), "processes from %v", first)
		}
	}
}

// Each pair of processes communicates over one pair of cores, and doors are spread evenly over the cores.
func TestThreeStageRoutes(t *testing.T) {
	rng := random(t)
	for range 60 {
		ranks := 1 + rng.IntN(40)
		first := placement(rng, ranks)
		n, topology := nodes(ranks, first), route.ThreeStage(ranks).(route.Placed).Place(first)
		doors := map[[2]int][2]int{}
		for at := range ranks {
			p := n.process[at]
			outside := 0
			for _, other := range topology.Neighbors(at) {
				if q := n.process[other]; q != p {
					outside++
					require.NotContains(t, doors, [2]int{p, q})
					doors[[2]int{p, q}] = [2]int{at, other}
				}
			}
			require.LessOrEqual(t, outside, (len(first)+len(n.rank[p])-1)/len(n.rank[p]))
		}
		require.Len(t, doors, len(first)*(len(first)-1))
		for pair, door := range doors {
			require.Equal(t, [2]int{door[1], door[0]}, doors[[2]int{pair[1], pair[0]}])
		}
		for at, dest := range pairs(ranks) {
			want := n.way(at, dest)
			if p, q := n.process[at], n.process[dest]; p != q {
				door := doors[[2]int{p, q}]
				want = n.way(at, door[0], door[1], dest)
			}
			require.Equal(t, want, path(topology, at, dest), "processes from %v", first)
		}
	}
}

// Without a placement, a job is one process on one host.
func TestUnplacedIsDirect(t *testing.T) {
	for _, c := range []route.Constructor{route.TwoStage, route.ThreeStage, route.Hosts(route.Hypercube)} {
		for at := range 9 {
			require.Equal(t, route.Direct(9).Neighbors(at), c(9).Neighbors(at))
		}
	}
}

// Two stages for even processes, and three for uneven ones.
func TestTwoStageStages(t *testing.T) {
	require.Equal(t, 2, twoStage(12, []int{0, 4, 8}).(route.Staged).Stages())
	require.Equal(t, 3, twoStage(11, []int{0, 4, 7}).(route.Staged).Stages())
	require.Equal(t, 3, twoStage(9, []int{0, 3, 4, 6}).(route.Staged).Stages())
}

func TestPlaceRefuses(t *testing.T) {
	for want, first := range map[string][]int{
		"the first process begins at rank 0": {1, 2},
		"its placement is []":                {},
		"process 1 begin at rank 3, and process 2 at rank 3: processes follow each other": {0, 3, 3},
		"process 1 begin at rank 9": {0, 9},
	} {
		for _, c := range []route.Constructor{route.TwoStage, route.ThreeStage, route.Dynamic(route.TwoStage)} {
			require.Contains(t, words(func() { c(9).(route.Placed).Place(first) }), want)
		}
		require.Contains(t, words(func() { onHosts(route.Hypercube, 9, first) }), want)
	}
}

// words returns the panic message of a function.
func words(f func()) (text string) {
	defer func() {
		if s, ok := recover().(string); ok {
			text = s
		}
	}()
	f()
	return "no panic in words"
}
