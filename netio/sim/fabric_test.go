package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func cables(f Fabric, hosts, from, to int) (all []cable) {
	newFabric(f, hosts).path(from, to, func(c cable) { all = append(all, c) })
	return all
}

// TestFabricWays compares the lengths of ways with their papers.
func TestFabricWays(t *testing.T) {
	tree := Fabric{Kind: "fat-tree", Radix: 8} // 4 hosts per switch
	require.Empty(t, cables(tree, 64, 0, 3))
	require.Len(t, cables(tree, 64, 0, 4), 2)
	require.Len(t, cables(tree, 64, 0, 63), 4)

	grid := Fabric{Kind: "torus"} // 4 x 4 x 4
	require.Len(t, cables(grid, 64, 0, 1), 1)
	require.Len(t, cables(grid, 64, 0, 3), 1, "round the end")
	require.Len(t, cables(grid, 64, 0, 2+2*4+2*16), 6)

	fly := Fabric{Kind: "dragonfly", Radix: 4} // 2 hosts per switch, 8 per group
	require.Empty(t, cables(fly, 64, 0, 1))
	require.Len(t, cables(fly, 64, 0, 2), 1)
	for from := range 64 {
		for to := range 64 {
			require.LessOrEqual(t, len(cables(fly, 64, from, to)), 3)
		}
	}
}

// TestTorusWays requires that every way is connected and has the right ends.
func TestTorusWays(t *testing.T) {
	for _, hosts := range []int{1, 2, 7, 27, 60} {
		for from := range hosts {
			for to := range hosts {
				at := from
				for _, c := range cables(Fabric{Kind: "torus"}, hosts, from, to) {
					require.Equal(t, at, c.from)
					at = c.to
				}
				require.Equal(t, to, at, "%d hosts, from %d to %d", hosts, from, to)
			}
		}
	}
}

// TestCablesCarryOneFrameAtATime requires that frames that share a cable wait for each other, and that others do not.
func TestCablesCarryOneFrameAtATime(t *testing.T) {
	f := newFabric(Fabric{Kind: "torus", Hop: 1e-9}, 8)
	require.EqualValues(t, 100, f.cross(0, 1, 100, 50))
	require.EqualValues(t, 150, f.cross(0, 1, 100, 50), "behind the first")
	require.EqualValues(t, 100, f.cross(1, 0, 100, 50), "the other direction")
	require.EqualValues(t, 100, f.cross(2, 3, 100, 50), "another cable")
	require.EqualValues(t, 200+2*1000, f.cross(0, 7, 100, 50), "two more switches")
}

func TestFabricCheck(t *testing.T) {
	require.NoError(t, Fabric{}.check())
	require.ErrorContains(t, Fabric{Kind: "ring"}.check(), "use fat-tree")
	require.ErrorContains(t, Fabric{Radix: 1}.check(), "ports")
	require.ErrorContains(t, Fabric{Hop: -1}.check(), "seconds")
}
