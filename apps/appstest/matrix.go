package appstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

var (
	rankCounts = []int{1, 2, 3, 5, 8, 16}
	factors    = []int{1, 7, 1024}
	cacheSizes = []int{0, 64, 4096}
	credits    = []int{0, 1}
	basic      = []string{"direct", "hypercube", ownRing}
	topologies = []string{
		"direct", "hypercube", "mesh:2", "mesh:3", "ring", "tree", "two-stage", "three-stage", "dynamic:hypercube", ownRing,
	}
)

// Matrix runs body once for every shape that [Shapes] lists, each as a subtest. Body's epochs declare their depth: see
// [General] for those that can't. With PEBBLES_SHAPES=N in the environment, it runs one shape in N, drawn at random.
func Matrix(t *testing.T, body func(t *testing.T, s Shape)) { run(t, Shapes(), body) }

// General is Matrix for programs whose chains of pebbles have no bound: without the shapes whose detector needs one.
func General(t *testing.T, body func(t *testing.T, s Shape)) {
	var all []Shape
	for _, s := range Shapes() {
		if s.General() {
			all = append(all, s)
		}
	}
	run(t, all, body)
}

// run takes one shape in as many as PEBBLES_SHAPES says, drawn anew each time, and all without it.
func run(t *testing.T, all []Shape, body func(t *testing.T, s Shape)) {
	t.Helper()
	in := oneIn(t)
	for _, s := range all {
		if rand.IntN(in) == 0 {
			t.Run(s.String(), func(t *testing.T) { body(t, s) })
		}
	}
}

// oneIn is in how many cases one is drawn.
func oneIn(t *testing.T) int {
	t.Helper()
	text := os.Getenv("PEBBLES_SHAPES")
	if text == "" {
		return 1
	}
	in, err := strconv.Atoi(text)
	if err != nil || in < 1 {
		t.Fatalf("PEBBLES_SHAPES=%s: give a positive number", text)
	}
	return in
}

// Shapes lists two products: {mem, shm, tcp} × {direct, hypercube, a ring of the test's own} × coalescing factors {1,
// 7, 1024} × cache sizes {0, 64, 4096} × ranks {1, 2, 3, 5, 8, 16}; and transports × all topologies × all detectors ×
// ranks {3, 8}. Shm is in with 3 and 8 ranks, and with 8. What is not in a product takes turns through it: the
// detector, credit of one frame or the default. Shapes that a job refuses are left out:
// [Refused] lists them.
func Shapes() []Shape {
	all, _ := shapes()
	return all
}

// Refused lists the shapes that jobs refuse, in words, when their epoch declares a depth.
func Refused() []Shape {
	_, refused := shapes()
	return refused
}

func shapes() (all, refused []Shape) {
	var turn int
	seen := map[string]bool{}
	add := func(s Shape) {
		s.Credits = credits[turn%len(credits)]
		turn++
		switch {
		case seen[s.String()]:
			return
		case s.valid():
			all = append(all, s)
		default:
			refused = append(refused, s)
		}
		seen[s.String()] = true
	}
	detectors := termination.Names()
	for _, transport := range []string{"mem", "shm", "tcp"} {
		for _, ranks := range some(transport, rankCounts, 3, 8) {
			for _, topology := range basic {
				for _, factor := range factors {
					for _, cache := range cacheSizes {
						s := newShape(transport, ranks, topology, factor, cache)
						if s.Termination = detectors[turn%len(detectors)]; !s.valid() {
							s.Termination = "auto"
						}
						add(s)
					}
				}
			}
		}
		for _, ranks := range some(transport, []int{3, 8}, 8) {
			for _, topology := range topologies {
				for _, detector := range detectors {
					s := newShape(transport, ranks, topology, factors[turn%len(factors)], cacheSizes[turn/3%len(cacheSizes)])
					s.Termination = detector
					add(s)
				}
			}
		}
	}
	return all, refused
}

// some are the numbers of ranks that a transport is tried with. To the layers above, shm differs little from tcp, so a
// few do.
func some(transport string, all []int, few ...int) []int {
	if transport == "shm" {
		return few
	}
	return all
}

func newShape(transport string, ranks int, topology string, factor, cache int) Shape {
	return Shape{
		Ranks: ranks, Procs: procs(transport, ranks), Transport: transport,
		Topology: topology, New: constructor(topology), Coalesce: factor, Cache: cache,
	}
}

func constructor(name string) route.Constructor {
	if name == ownRing {
		return Ring
	}
	c, err := route.ByName(name)
	if err != nil {
		panic(err)
	}
	return c
}

// General reports whether the shape's detector needs no declared depth.
func (s Shape) General() bool { return s.Termination == "auto" || s.Termination == "skr" }

// valid reports whether a job takes the shape, when its epochs declare a depth.
func (s Shape) valid() bool {
	t := s.New(s.Ranks)
	_, bounded := route.Hops(t)
	_, staged := t.(route.Staged)
	switch s.Termination {
	case "nbx", "pcx", "pcx-neighbors":
		return bounded
	case "ordered":
		return staged
	default:
		return true
	}
}

// procs is how many processes a shape has: over shm and tcp two or three, so that some ranks share one and others
// don't.
func procs(transport string, ranks int) int {
	switch {
	case transport == "mem":
		return 1
	case ranks < 5:
		return min(ranks, 2)
	default:
		return 3
	}
}

// ring is a topology as a program would bring its own: each rank sends to the one before and the one after it, and
// pebbles go around the shorter way.
type ring int

// ownRing is the name of [Ring], which is not that of route.Ring.
const ownRing = "own-ring"

// Ring makes the two-way ring of so many ranks. It is not one of package route, so jobs check it when it is registered.
func Ring(ranks int) route.Topology { return ring(ranks) }

func (n ring) Name() string { return ownRing }
func (n ring) Ranks() int   { return int(n) }

func (n ring) Neighbors(at int) []int {
	switch r := int(n); r {
	case 1:
		return nil
	case 2:
		return []int{1 - at}
	default:
		return []int{(at + 1) % r, (at + r - 1) % r}
	}
}

func (n ring) Next(at, dest int) int {
	r := int(n)
	if 2*((dest-at+r)%r) <= r {
		return (at + 1) % r
	}
	return (at + r - 1) % r
}

// Everywhere runs a program on 1, 2, 4 and 7 ranks over the transports, and simulated with faults, whose seed it logs.
// with makes the program anew for each job, and what checks its results afterwards, which may be nil. With
// PEBBLES_SHAPES=N in the environment, it runs one job in N, drawn at random.
func Everywhere(t *testing.T, with func(t *testing.T, ranks int) (program func(r *pebble.Rank) error, check func(t *testing.T))) {
	seed, in := rand.Uint64(), oneIn(t)
	t.Log("seed", seed)
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, transport := range []string{"mem", "shm", "tcp", "sim"} {
			if rand.IntN(in) > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%d ranks, %s", ranks, transport), func(t *testing.T) {
				program, check := with(t, ranks)
				if transport == "sim" {
					simulate(t, ranks, seed, program)
				} else {
					s := Shape{Ranks: ranks, Procs: min(ranks, 2), Transport: transport, New: route.Direct, Coalesce: 64}
					require.NoError(t, s.Run(t, program))
				}
				if check != nil {
					check(t)
				}
			})
		}
	}
}

func simulate(t *testing.T, ranks int, seed uint64, program func(r *pebble.Rank) error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	w, err := sim.New(sim.Config{Ranks: ranks, Processes: (ranks + 1) / 2, Seed: seed, Faults: sim.Faults{Delay: 0.1, Double: 0.1}})
	require.NoError(t, err)
	require.NoError(t, w.Each(func(p netio.Transport) error {
		return pebble.Run(ctx, pebble.Config{Transport: p, Topology: route.Hypercube, Coalesce: 16}, program)
	}))
}
