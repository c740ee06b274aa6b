package appstest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// The parameters of a shape, with transports, and their values.
var (
	rankCounts = []int{1, 2, 3, 5, 8, 16}
	topologies = []string{
		"direct", "hypercube", ownRing, "mesh:2", "mesh:3", "ring", "tree", "two-stage", "three-stage",
		"dynamic:hypercube", "hosts:hypercube",
	}
	factors    = []int{1, 7, 1024}
	cacheSizes = []int{0, 64, 4096}
	credits    = []int{0, 1}
	detectors  = termination.Names()
)

// Matrix runs body for some shapes, each as a subtest, within this process and simulated with faults. The shapes
// contain every possible combination of two values of parameters. Body's epochs must declare their depth: see [General]
// for those that cannot. With build tag long it runs the whole product, over all transports.
func Matrix(t *testing.T, body func(t *testing.T, s Shape)) { each(t, pairs(), body) }

// General is Matrix for programs whose chains of pebbles have no bound: without the detectors that need one.
func General(t *testing.T, body func(t *testing.T, s Shape)) { each(t, general(), body) }

// Triples is Matrix with more shapes: every possible combination of three values.
func Triples(t *testing.T, body func(t *testing.T, s Shape)) { each(t, triples(), body) }

// Refused returns the shapes that a job refuses, with an error in words, if its epochs declare a depth.
func Refused() []Shape { return shapes(2, func(s Shape) bool { return !s.valid() }) }

var (
	pairs   = sync.OnceValue(func() []Shape { return shapes(2, Shape.valid) })
	general = sync.OnceValue(func() []Shape { return shapes(2, func(s Shape) bool { return s.General() && s.valid() }) })
	triples = sync.OnceValue(func() []Shape { return shapes(3, Shape.valid) })
)

func each(t *testing.T, all []Shape, body func(t *testing.T, s Shape)) {
	t.Helper()
	for _, s := range all {
		t.Run(s.String(), func(t *testing.T) { body(t, s) })
	}
}

func shapes(strength int, valid func(Shape) bool) (all []Shape) {
	levels := []int{
		len(transports), len(rankCounts), len(topologies), len(factors), len(cacheSizes), len(credits), len(detectors),
	}
	for _, row := range rows(strength, levels, func(row []int) bool { return valid(shapeOf(row)) }) {
		all = append(all, shapeOf(row))
	}
	return all
}

func shapeOf(row []int) Shape {
	s := Shape{
		Transport: transports[row[0]], Ranks: rankCounts[row[1]], Topology: topologies[row[2]], Coalesce: factors[row[3]],
		Cache: cacheSizes[row[4]], Credits: credits[row[5]], Termination: detectors[row[6]],
	}
	s.Procs, s.New = procs(s.Transport, s.Ranks), constructor(s.Topology)
	return s
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

// valid reports whether a job accepts the shape if its epochs declare a depth.
func (s Shape) valid() bool {
	switch s.Termination {
	case "nbx", "pcx", "pcx-neighbors":
		_, bounded := route.Hops(s.New(s.Ranks))
		return bounded
	case "ordered":
		_, staged := s.New(s.Ranks).(route.Staged)
		return staged
	default:
		return true
	}
}

// procs returns the number of processes of a shape: 1 over mem, else two or three, some with several ranks.
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

// ring is a topology as a program may define it: each rank sends to its predecessor and its successor, and pebbles take
// the shorter way around.
type ring int

// ownRing is the name of [Ring]. It differs from that of route.Ring.
const ownRing = "own-ring"

// Ring returns the two-way ring of a number of ranks. It is not one of package route, so jobs check it at registration.
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

// Everywhere runs a program on 1, 2, 4 and 7 ranks within this process and simulated with faults, and on some over shm
// and tcp, and on a team; with build tag long, on all. For each job, with makes the program and an optional check of
// its results.
func Everywhere(t *testing.T, with func(t *testing.T, ranks int) (program func(r *pebble.Rank) error,
	check func(t *testing.T))) {
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, s := range []Shape{
			{Transport: "mem", Procs: 1, New: route.Direct, Coalesce: 64},
			{Transport: "sim", Procs: (ranks + 1) / 2, New: route.Hypercube, Coalesce: 16},
			{Transport: "shm", Procs: min(ranks, 2), New: route.Direct, Coalesce: 64},
			{Transport: "tcp", Procs: min(ranks, 2), New: route.Direct, Coalesce: 64},
			{Transport: "sim", Procs: min(2*ranks, 3), New: route.Direct, Coalesce: 16, Team: true},
		} {
			if s.Ranks = ranks; !Long && (s.Transport == "shm" && ranks != 4 || s.Transport == "tcp" && ranks != 2 ||
				s.Team && ranks != 4) {
				continue
			}
			t.Run(fmt.Sprintf("%d ranks, %s, team %t", ranks, s.Transport, s.Team), func(t *testing.T) {
				program, check := with(t, ranks)
				require.NoError(t, s.Run(t, program))
				if check != nil {
					check(t)
				}
			})
		}
	}
}
