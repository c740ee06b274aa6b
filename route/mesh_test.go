package route_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// coordinates of a rank, row-major.
func coordinates(rank int, dims []int) []int {
	all := make([]int, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		all[d], rank = rank%dims[d], rank/dims[d]
	}
	return all
}

func rankOf(coordinates, dims []int) (rank int) {
	for d, c := range coordinates {
		rank = rank*dims[d] + c
	}
	return rank
}

// path is the route, with both ends.
func path(topology route.Topology, at, dest int) []int {
	all := []int{at}
	for at != dest {
		at = topology.Next(at, dest)
		all = append(all, at)
	}
	return all
}

// corrected returns TRAM's route: coordinates become the destination's in an order.
func corrected(at, dest int, order, dims []int) []int {
	all := []int{at}
	here, want := coordinates(at, dims), coordinates(dest, dims)
	for _, d := range order {
		if here[d] != want[d] {
			here[d] = want[d]
			all = append(all, rankOf(here, dims))
		}
	}
	return all
}

// TRAM III.B: the highest dimension is corrected first, or in a given order, in F(j, k) hops (equation 2).
func TestMeshRoutes(t *testing.T) {
	for _, dims := range [][]int{{24}, {4, 6}, {6, 4}, {2, 3, 4}, {3, 1, 5}, {2, 2, 2, 3}, {1, 1}} {
		ranks := 1
		for _, size := range dims {
			ranks *= size
		}
		highest := make([]int, len(dims))
		for i := range highest {
			highest[i] = len(dims) - 1 - i
		}
		lowest := slices.Sorted(slices.Values(highest))
		for i, mesh := range []route.Topology{
			route.Mesh(dims...)(ranks), route.MeshIn(highest, dims...)(ranks), route.MeshIn(lowest, dims...)(ranks),
		} {
			order := [][]int{highest, highest, lowest}[i]
			for at, dest := range pairs(ranks) {
				require.Equal(t, corrected(at, dest, order, dims), path(mesh, at, dest), "%v in order %v", dims, order)
			}
		}
	}
}

// TRAM III.C: sum of (s-1) buffers.
func TestMeshNeighbors(t *testing.T) {
	mesh := route.Mesh(2, 3, 4)(24)
	require.Equal(t, []int{5 + 12, 1, 9, 4, 6, 7}, mesh.Neighbors(5))
	for at := range 24 {
		require.Len(t, mesh.Neighbors(at), 1+2+3)
	}
}

// An irregular mesh takes minimal routes, has sizes as equal as can be, and where it is full is the regular one.
func TestMeshOfAnyNumberOfRanks(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for ranks := 1; ranks <= exhaustive; ranks++ {
			mesh := route.MeshOf(n)(ranks)
			dims := slices.Repeat([]int{int(math.Pow(float64(ranks), 1/float64(n)) + 1e-9)}, n)
			for i := 0; product(dims) < ranks; i++ {
				dims[i]++
			}
			for at, dest := range pairs(ranks) {
				far := 0
				for d, c := range coordinates(at, dims) {
					if c != coordinates(dest, dims)[d] {
						far++
					}
				}
				if got := len(path(mesh, at, dest)) - 1; got != far {
					t.Fatalf("%v over %d: %d to %d has %d hops, %d dimensions differ", dims, ranks, at, dest, got, far)
				}
			}
			if product(dims) == ranks {
				regular := route.Mesh(dims...)(ranks)
				for at, dest := range pairs(ranks) {
					require.Equal(t, path(regular, at, dest), path(mesh, at, dest))
				}
			}
		}
	}
}

func product(dims []int) int {
	n := 1
	for _, size := range dims {
		n *= size
	}
	return n
}

// The last row of 3×3 places over 8 ranks lacks the last: rank 6 takes column before row on its way to 2.
func TestMeshLeavesIncompleteSlabsFirst(t *testing.T) {
	mesh := route.MeshOf(2)(8)
	require.Equal(t, []int{6, 0, 2}, path(mesh, 6, 2))
	require.Equal(t, []int{2, 0, 6}, path(mesh, 2, 6))
	require.Equal(t, []int{0, 2, 5}, path(mesh, 0, 5))
	require.Equal(t, 3, mesh.(route.Staged).Stages())
	require.Equal(t, 2, route.MeshOf(2)(9).(route.Staged).Stages())
}

// TRAM Table II from the routes themselves, against equation 3: C(N, a) × (d-1)^a ranks at a messages. The paper's
// counts agree; of its percentages, 8.3 should be 8.8, and 2.05 and 9.2e-2 are truncated from 2.06 and 9.16e-2.
func TestTableII(t *testing.T) {
	for _, row := range []struct {
		dims    []int
		counts  []int
		percent []float64
		buffers int
	}{
		{[]int{32, 32, 32}, []int{1, 93, 2883, 29791}, []float64{3.05e-3, .284, 8.80, 90.9}, 93},
		{[]int{16, 16, 16, 16}, []int{1, 60, 1350, 13500, 50625}, []float64{1.53e-3, 9.16e-2, 2.06, 20.6, 77.2}, 60},
	} {
		ranks, n, size := product(row.dims), len(row.dims), row.dims[0]
		mesh := route.Mesh(row.dims...)(ranks)
		for _, from := range []int{0, 12345, ranks - 1} {
			counts := route.MessageCounts(mesh, from)
			require.Equal(t, row.counts, counts)
			for a, count := range counts {
				require.Equal(t, binomial(n, a)*power(size-1, a), count)
				require.InEpsilon(t, row.percent[a], 100*float64(count)/float64(ranks), 0.005)
			}
			require.Len(t, mesh.Neighbors(from), row.buffers)
		}
	}
}

func binomial(n, k int) int {
	if k == 0 || k == n {
		return 1
	}
	return binomial(n-1, k-1) + binomial(n-1, k)
}

func power(base, n int) int {
	if n == 0 {
		return 1
	}
	return base * power(base, n-1)
}

func TestMessageCounts(t *testing.T) {
	require.Equal(t, []int{1, 2, 2, 1}, route.MessageCounts(route.Ring(6), 4))
	require.Equal(t, []int{1}, route.MessageCounts(route.Direct(1), 0))
	require.PanicsWithValue(t, `route: topology "ring": a pebble from rank 0 never arrives at rank 2: check it first`,
		func() {
			route.MessageCounts(ring{3, func(at, _ int) int { return 1 - at }, nil}, 0)
		})
}

// TRAM V.C: merging dimensions that follow each other in the order of routing removes ranks from routes, and adds none.
func TestMergedRoutesSkipRanks(t *testing.T) {
	require.Equal(t, []int{16, 8}, route.Merge([]int{4, 4, 8}, 0))
	require.Equal(t, []int{4, 32}, route.Merge([]int{4, 4, 8}, 1))
	for _, dims := range [][]int{{4, 4, 8}, {2, 3, 4}, {3, 2, 2, 3}} {
		ranks := product(dims)
		full := route.Mesh(dims...)(ranks)
		for at := range len(dims) - 1 {
			kept := slices.Clone(dims)
			merged := route.Mesh(route.Merge(dims, at)...)(ranks)
			require.Equal(t, kept, dims)
			for from, dest := range pairs(ranks) {
				if whole, part := path(full, from, dest), path(merged, from, dest); !within(part, whole) {
					t.Fatalf("%v merged at %d: %v is no part of %v", dims, at, part, whole)
				}
			}
		}
	}
	require.Panics(t, func() { route.Merge([]int{4, 4}, 1) })
	require.Panics(t, func() { route.Merge([]int{4, 4}, -1) })
}

// within reports whether one list is another with some elements left out.
func within(part, whole []int) bool {
	for _, v := range whole {
		if len(part) > 0 && part[0] == v {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func TestLongestFirst(t *testing.T) {
	require.Equal(t, []int{1, 2, 0}, route.LongestFirst([]int{2, 8, 4}))
	require.Equal(t, []int{2, 1, 0}, route.LongestFirst([]int{4, 4, 4}))
	require.Equal(t, []int{3, 1, 2, 0}, route.LongestFirst([]int{2, 4, 2, 4}))
	dims := []int{2, 8, 4}
	require.Equal(t, []int{0, 7 * 4, 7*4 + 3, 8*4 + 7*4 + 3}, path(route.MeshIn(route.LongestFirst(dims), dims...)(64), 0,
		63))
}

// A constructor's arguments may change afterwards.
func TestSizesAreCopied(t *testing.T) {
	dims, order := []int{2, 3}, []int{0, 1}
	for _, c := range []route.Constructor{route.Mesh(dims...), route.MeshIn(order, dims...), route.Torus(dims...)} {
		dims[0], order[0] = 7, 7
		require.NotPanics(t, func() { c(6) })
		dims[0], order[0] = 2, 0
	}
}
