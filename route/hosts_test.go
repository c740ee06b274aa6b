package route_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

// between holds the topologies that may lie between hosts, by name.
var between = map[string]route.Constructor{
	"hosts:direct": route.Direct, "hosts:hypercube": route.Hypercube, "hosts:tree": route.Tree,
	"hosts:mesh:2": route.MeshOf(2), "hosts:mesh:3": route.MeshOf(3),
}

func onHosts(inner route.Constructor, ranks int, first []int) route.Topology {
	return route.Hosts(inner)(ranks).(route.Hosted).OnHosts(first)
}

// smallest returns the number of ranks of the smallest node.
func (n node) smallest() int {
	least := len(n.rank[0])
	for _, all := range n.rank {
		least = min(least, len(all))
	}
	return least
}

// A pebble goes to its column within its host, then along the column, and from there to a rank beyond all columns.
// Hosts may have any numbers of ranks.
func TestHostsRoutes(t *testing.T) {
	rng := random(t)
	for range 40 {
		ranks := 1 + rng.IntN(40)
		first := placement(rng, ranks)
		n := nodes(ranks, first)
		for _, inner := range between {
			topology, outer := onHosts(inner, ranks, first), inner(len(first))
			for at := range ranks {
				var want []int
				for _, other := range n.rank[n.process[at]] {
					if other != at {
						want = append(want, other)
					}
				}
				for _, host := range outer.Neighbors(n.process[at]) {
					if n.core[at] < n.smallest() {
						want = append(want, n.rank[host][n.core[at]])
					}
				}
				require.Equal(t, want, append([]int(nil), topology.Neighbors(at)...), "hosts from %v", first)
			}
			for at, dest := range pairs(ranks) {
				want := []int{at, dest}
				if n.process[at] != n.process[dest] {
					column := n.core[dest] % n.smallest()
					want = want[:1]
					for _, host := range path(outer, n.process[at], n.process[dest]) {
						want = append(want, n.rank[host][column])
					}
					want = append(want, dest)
				}
				require.Equal(t, n.way(want...), path(topology, at, dest), "%s, hosts from %v", topology.Name(), first)
			}
		}
	}
}

// Over even hosts the shape is exactly that of the inner topology with a hop within a host.
func TestHostsShape(t *testing.T) {
	for _, hosts := range []int{1, 2, 3, 4, 6, 8, 13} {
		for _, cores := range []int{1, 2, 5} {
			ranks := hosts * cores
			for name, inner := range between {
				outer, err := route.Check(inner(hosts))
				require.NoError(t, err)
				topology := onHosts(inner, ranks, even(ranks, cores))
				shape, err := route.Check(topology)
				require.NoError(t, err)
				require.Equal(t, name, topology.Name())
				require.Equal(t, cores-1+outer.NeighborsMax, shape.NeighborsMax)
				require.Equal(t, ranks*(cores-1)+cores*outer.Links, shape.Links)
				require.Equal(t, outer.Diameter+min(1, cores-1), shape.Diameter)
				require.Equal(t, outer.Stages+1, shape.Stages)
				hops, _ := route.Hops(topology)
				require.Equal(t, max(1, shape.Diameter), hops)
			}
		}
	}
}

// away returns the number of a rank's neighbours on other hosts.
func away(t route.Topology, at, perHost int) (n int) {
	for _, other := range t.Neighbors(at) {
		n += b2i(other/perHost != at/perHost)
	}
	return n
}

// With 1,024 ranks on 64 hosts, 6 neighbours of a rank are on other hosts, instead of 1,008 with direct sends. An
// all-to-all crosses the network in one frame per such neighbour.
func TestFewNeighborsBetweenHosts(t *testing.T) {
	const ranks, perHost = 1024, 16
	hosts := ranks / perHost
	placed := onHosts(route.Hypercube, ranks, even(ranks, perHost))
	mesh := onHosts(route.MeshOf(2), ranks, even(ranks, perHost))
	for at := range ranks {
		require.Equal(t, bits.Len(uint(hosts-1)), away(placed, at, perHost))
		require.Equal(t, 2*(8-1), away(mesh, at, perHost))
		require.Equal(t, ranks-perHost, away(route.Direct(ranks), at, perHost))
	}
}

func TestHostsRefuse(t *testing.T) {
	for want, inner := range map[string]route.Constructor{
		"route: hosts: the topology between them is nil: give a constructor": nil,
		"is a route.ring: give route.Direct, route.Hypercube":                route.Ring,
		"is a route.twoStage: give":                                          route.TwoStage,
		"is a route.hosts: give":                                             route.Hosts(route.Direct),
		"is a route.dynamic: give":                                           route.Dynamic(route.Direct),
		"route: mesh:2x2 over 1 ranks":                                       route.Mesh(2, 2),
	} {
		require.Contains(t, words(func() { route.Hosts(inner)(4) }), want)
	}
}
