package route_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// A route has one hop for each step, one dimension after the other, the highest first.
func TestTorusRoutesAreMinimal(t *testing.T) {
	for _, dims := range [][]int{{7}, {8}, {4, 4}, {5, 4}, {2, 3, 4}, {2, 2}, {1, 6}, {3, 1, 3}} {
		ranks := product(dims)
		torus := route.Torus(dims...)(ranks)
		for at, dest := range pairs(ranks) {
			far, from, to := 0, coordinates(at, dims), coordinates(dest, dims)
			for d, size := range dims {
				up := (to[d] - from[d] + size) % size
				far += min(up, size-up)
			}
			route := path(torus, at, dest)
			require.Len(t, route, far+1)
			last := len(dims)
			for i, here := range route[1:] {
				d := changed(coordinates(route[i], dims), coordinates(here, dims))
				require.LessOrEqual(t, d, last)
				last = d
			}
		}
	}
}

// changed returns the only coordinate that differs between two ranks; too high a number if there are more.
func changed(a, b []int) (dim int) {
	dim = -1
	for d := range a {
		if a[d] != b[d] {
			if dim >= 0 {
				return len(a) + 1
			}
			dim = d
		}
	}
	return dim
}

// If both ways are equally long, half of the routes go each way, and the loads of links differ by at most one route.
func TestTiesAreSplitEvenly(t *testing.T) {
	for _, size := range []int{4, 6, 8, 12} {
		for _, topology := range []route.Topology{route.Ring(size), route.Torus(size)(size)} {
			up, load := 0, make([]int, size)
			for at := range size {
				if way := path(topology, at, (at+size/2)%size); way[1] == (at+1)%size {
					up++
					for _, here := range way[:size/2] {
						load[here]++
					}
				}
			}
			require.Equal(t, size/2, up)
			for _, n := range load {
				require.InDelta(t, float64(size)/4, n, 0.5)
			}
		}
	}
}

func TestRingIsATorus(t *testing.T) {
	for ranks := 1; ranks <= 40; ranks++ {
		r, torus := route.Ring(ranks), route.Torus(ranks)(ranks)
		for at := range ranks {
			require.ElementsMatch(t, torus.Neighbors(at), r.Neighbors(at))
			for dest := range ranks {
				require.Equal(t, path(torus, at, dest), path(r, at, dest))
			}
		}
	}
}

// A tree's route goes through the first common ancestor: the ranks above both ends, compared as lists.
func TestTreeRoutes(t *testing.T) {
	above := func(at int) (all []int) {
		for ; at > 0; at &= at - 1 {
			all = append(all, at)
		}
		return append(all, 0)
	}
	for _, ranks := range []int{1, 2, 3, 8, 21, 64} {
		tree := route.Tree(ranks)
		links := 0
		for at := range ranks {
			links += len(tree.Neighbors(at))
			for dest := range ranks {
				up, down := above(at), above(dest)
				for len(up) > 1 && len(down) > 1 && up[len(up)-2] == down[len(down)-2] {
					up, down = up[:len(up)-1], down[:len(down)-1]
				}
				want := up
				for i := len(down) - 2; i >= 0; i-- {
					want = append(want, down[i])
				}
				require.Equal(t, want, path(tree, at, dest))
			}
		}
		require.Equal(t, 2*(ranks-1), links)
	}
}

// A torus that computes its sizes equals the torus of these sizes.
func TestTorusOf(t *testing.T) {
	for _, c := range []struct {
		ranks, n int
		sizes    []int
	}{
		{12, 1, []int{12}}, {12, 2, []int{4, 3}}, {12, 3, []int{3, 2, 2}}, {64, 3, []int{4, 4, 4}}, {100, 3, []int{5, 5, 4}},
		{13, 2, []int{13, 1}}, {1, 3, []int{1, 1, 1}}, {8, 4, []int{2, 2, 2, 1}}, {2 * 13, 2, []int{13, 2}},
	} {
		found, given := route.TorusOf(c.n)(c.ranks), route.Torus(c.sizes...)(c.ranks)
		for at := range c.ranks {
			require.Equal(t, given.Neighbors(at), found.Neighbors(at), c)
			for to := range c.ranks {
				require.Equal(t, given.Next(at, to), found.Next(at, to), c)
			}
		}
	}
}
