package main

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

var guide = job{ranks: 64, procs: 8, bytes: 16, coalesce: 1024, credits: 8}

func Example() {
	if err := run(os.Stdout, guide); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 64 ranks in 8 processes, 1024 pebbles of 16 bytes a buffer, 8 credits
	// topology     neighbours  hops  mean  stages   KiB a rank  frames
	// direct               63     1  1.00       1      10119.4    4032
	// mesh:2               14     2  1.78       2       2248.8     896
	// mesh:3                9     3  2.29       3       1445.6     576
	// hypercube             6     6  3.05       6        963.8     384
	// tree                  6    11  5.10      12        963.8     126
	// two-stage            14     2  1.78       2       2248.8     896
	// three-stage           8     3  2.56    none       1285.0       -
	// ring                  2    32  16.25    none        321.2       -
	//
	// depth  topology      skr   nbx   pcx  pcx-neighbors  ordered  auto
	//  none  direct         12     -     -              -        -    12
	//     1  direct         12     6     6             63       63     6
	//     1  mesh:2         12    12    12             28       14    12
	//     1  mesh:3         12    18    18             27        9     9
	//     1  hypercube      12    36    36             36        6     6
	//     1  tree           12    66    66             66        6     6
	//     1  two-stage      12    12    12             28       14    12
	//     1  three-stage    12    18    18             24        -    12
	//     1  ring           12   192   192             64        -    12
	//     2  direct         12    12    12            126      126    12
	//     2  mesh:2         12    24    24             56       28    12
	//     2  mesh:3         12    36    36             54       18    12
	//     2  hypercube      12    72    72             72       12    12
	//     2  tree           12   132   132            132       12    12
	//     2  two-stage      12    24    24             56       28    12
	//     2  three-stage    12    36    36             48        -    12
	//     2  ring           12   384   384            128        -    12
	//
	// 10 million pebbles a second and rank, to random other ranks
	// topology     ms to fill a buffer  pebbles in it after 1 ms
	// direct                      6.45                       159
	// mesh:2                      0.81                      1024
	// mesh:3                      0.40                      1024
	// hypercube                   0.20                      1024
	// tree                        0.04                      1024
	// two-stage                   0.81                      1024
	// three-stage                 0.32                      1024
	// ring                        0.01                      1024
}

// Pebbles of a byte, on a network where a message costs 2 µs to send or receive and 1 µs between two of them, and a
// byte 1 ns.
func Example_coalescing() {
	p := logGP{L: 5, o: 2, g: 1, G: 0.001} // µs
	for _, n := range []float64{1, 8, 64, 1024} {
		fmt.Printf("%5.0f pebbles: %7.1f µs alone, %5.1f µs in one frame\n", n, p.alone(n), p.coalesced(n))
	}
	// Output:
	// 1 pebbles:     9.0 µs alone,   9.0 µs in one frame
	//     8 pebbles:    30.0 µs alone,   9.0 µs in one frame
	//    64 pebbles:   198.0 µs alone,   9.1 µs in one frame
	//  1024 pebbles:  3078.0 µs alone,  10.0 µs in one frame
}

// TRAM's table I for a million pebbles of 8 bytes, in frames with headers of 56 bytes, 1,024 per frame.
func Example_aggregation() {
	const z, m, e, g = 1 << 20, 8, 56, 1024
	show := func(what string, s sending) {
		fmt.Printf("%-22s %8.1f MB %9.0f messages\n", what, s.bytes/1e6, s.messages)
	}
	show("each on its own", oneByOne(z, m, e))
	show("full frames, 1 hop", aggregated(z, m, e, g, 1))
	show("full frames, 3 hops", aggregated(z, m, e, g, 3))
	show("full frames, 6 hops", aggregated(z, m, e, g, 6))
	// Output:
	// each on its own            67.1 MB   1048576 messages
	// full frames, 1 hop          8.4 MB      1024 messages
	// full frames, 3 hops        25.3 MB      3072 messages
	// full frames, 6 hops        50.7 MB      6144 messages
}

// TRAM's table II.
func Example_distances() {
	for _, mesh := range []route.Topology{route.Mesh(32, 32, 32)(1 << 15), route.Mesh(16, 16, 16, 16)(1 << 16)} {
		fmt.Println(mesh.Name())
		for hops, ranks := range distances(mesh) {
			fmt.Printf("  %d messages: %5d ranks, %6.3f %%\n", hops, ranks, 100*float64(ranks)/float64(mesh.Ranks()))
		}
	}
	// Output:
	// mesh:32x32x32
	//   0 messages:     1 ranks,  0.003 %
	//   1 messages:    93 ranks,  0.284 %
	//   2 messages:  2883 ranks,  8.798 %
	//   3 messages: 29791 ranks, 90.915 %
	// mesh:16x16x16x16
	//   0 messages:     1 ranks,  0.002 %
	//   1 messages:    60 ranks,  0.092 %
	//   2 messages:  1350 ranks,  2.060 %
	//   3 messages: 13500 ranks, 20.599 %
	//   4 messages: 50625 ranks, 77.248 %
}

func Example_caches() {
	for _, places := range []int{1, 3, 6} {
		fmt.Printf("%d caches that each merge 20 %%: %.0f %% merged\n", places, 100*hits(0.2, places))
	}
	fmt.Println("20 % at 30 ns a pebble and 9 ns a look:", pays(0.2, 30, 9))
	fmt.Println("40 % at 30 ns a pebble and 9 ns a look:", pays(0.4, 30, 9))
	// Output:
	// 1 caches that each merge 20 %: 20 % merged
	// 3 caches that each merge 20 %: 49 % merged
	// 6 caches that each merge 20 %: 74 % merged
	// 20 % at 30 ns a pebble and 9 ns a look: false
	// 40 % at 30 ns a pebble and 9 ns a look: true
}

func Example_leaders() {
	placed := newLeaders(64).(route.Placed).Place([]int{0, 8, 16, 24, 32, 40, 48, 56})
	fmt.Println(route.Check(placed))
	// Output:
	// 64 ranks, 168 links, at most 14 neighbours; 2.64 hops in the mean, at most 3; stages: 3 <nil>
}

func Example_around() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 8, Topology: route.Dynamic(route.Hypercube)},
		func(r *pebble.Rank) error { return around(r, os.Stdout) })
	fmt.Println(err)
	// Output:
	// all links: 64 pebbles handled, 40 passed through a hop
	// not 0-1: 64 pebbles handled, 44 passed through a hop
	// <nil>
}

func Example_central() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 8, Termination: newCentral}, func(r *pebble.Rank) error {
		err := around(r, os.Stdout)
		if r.ID() == 0 {
			fmt.Println("ended by", r.Termination())
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// all links: 64 pebbles handled, 0 passed through a hop
	// not 0-1: 64 pebbles handled, 0 passed through a hop
	// ended by central
	// <nil>
}
