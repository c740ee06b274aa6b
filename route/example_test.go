package route_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/route"
)

func ExampleCheck() {
	shape, err := route.Check(route.Hypercube(12))
	fmt.Println(shape.Diameter, "hops,", shape.NeighborsMax, "neighbours at the most,", err)
	// Output: 4 hops, 4 neighbours at the most, <nil>
}

// A mesh's order of correction keeps routes minimal in a network that routes by its longest dimension first.
func ExampleMeshIn() {
	dims := []int{4, 8, 2}
	mesh := route.MeshIn(route.LongestFirst(dims), dims...)(64)
	fmt.Println(mesh.Name(), "brings frames from", len(route.Incoming(mesh, 0)), "ranks")
	flat := route.Merge(dims, 0)
	fmt.Println(route.Mesh(flat...)(64).Name(), "has a hop less")
	torus, err := route.Check(route.Torus(dims...)(64))
	fmt.Println("a torus:", torus.Diameter, "hops,", torus.NeighborsMax, "neighbours at the most,", err)
	// Output:
	// mesh:4x8x2/1-0-2 brings frames from 11 ranks
	// mesh:32x2 has a hop less
	// a torus: 7 hops, 5 neighbours at the most, <nil>
}

// Ranks of a process send through one of them, if the topology has the placement.
func ExamplePlaced() {
	for _, staged := range []route.Topology{route.TwoStage(12), route.ThreeStage(12)} {
		placed := staged.(route.Placed).Place([]int{0, 4, 8})
		shape, err := route.Check(placed)
		fmt.Println(placed.Name(), shape.Diameter, "hops,", shape.NeighborsMax, "neighbours at the most,", err)
	}
	// Output:
	// two-stage 2 hops, 5 neighbours at the most, <nil>
	// three-stage 3 hops, 4 neighbours at the most, <nil>
}

// Between 64 hosts of 16 ranks, a hypercube leaves each rank 6 neighbours on other hosts, beside 15 on its own.
func ExampleHosts() {
	first := make([]int, 64)
	for host := range first {
		first[host] = 16 * host
	}
	shape, err := route.Check(route.Hosts(route.Hypercube)(1024).(route.Hosted).OnHosts(first))
	fmt.Println(shape.Diameter, "hops,", shape.NeighborsMax, "neighbours at the most,", err)
	// Output: 7 hops, 21 neighbours at the most, <nil>
}
