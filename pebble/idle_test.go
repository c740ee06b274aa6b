package pebble_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// roads is a graph as lists of arcs.
type roads [][]road

type road struct{ to, length uint64 }

func draw(seed uint64, vertices, arcs int) roads {
	random := rand.New(rand.NewPCG(seed, 0))
	g := make(roads, vertices)
	for range arcs {
		from := random.IntN(vertices)
		g[from] = append(g[from], road{random.Uint64N(uint64(vertices)), 1 + random.Uint64N(100)})
	}
	return g
}

// distances is the serial twin: Bellman and Ford's algorithm, from vertex 0.
func (g roads) distances() []uint64 {
	d := far(len(g))
	d[0] = 0
	for changed := true; changed; {
		changed = false
		for v, arcs := range g {
			for _, a := range arcs {
				if d[v] != math.MaxUint64 && d[v]+a.length < d[a.to] {
					d[a.to], changed = d[v]+a.length, true
				}
			}
		}
	}
	return d
}

func far(n int) []uint64 {
	d := make([]uint64, n)
	for i := range d {
		d[i] = math.MaxUint64
	}
	return d
}

// relax computes the same asynchronously: handlers lower distances and queue vertices for idle work.
func relax(r *pebble.Rank, g roads, all []uint64) error {
	type offer struct{ vertex, distance uint64 }
	owner := distribution.Cyclic(uint64(len(g)), r.Size())
	var queue []uint64
	offers := target.New(r, "offers", owner, target.Key(func(o offer) uint64 { return o.vertex }),
		target.Each(func(o offer) {
			if o.distance < all[o.vertex] {
				all[o.vertex] = o.distance
				queue = append(queue, o.vertex)
			}
		}))
	err := epoch(r, func() {
		if owner.Owner(0) == r.ID() {
			offers.Send(offer{0, 0})
		}
	}, pebble.Idle(func() bool {
		if len(queue) == 0 {
			return false
		}
		v := queue[0]
		queue = queue[1:]
		for _, a := range g[v] {
			offers.Send(offer{a.to, all[v] + a.length})
		}
		return true
	}))
	if err == nil && len(queue) > 0 {
		return fmt.Errorf("%d vertices are left", len(queue))
	}
	return err
}

func TestIdleWork(t *testing.T) {
	seed := seeds.Of(t)
	g := draw(seed, 500, 2500)
	want := g.distances()
	for _, ranks := range []int{1, 2, 4, 7} {
		got := far(len(g))
		require.NoError(t, run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error { return relax(r, g, got) }))
		require.Equal(t, want, got, "%d ranks", ranks)

		got = far(len(g))
		world := sim.Config{Ranks: ranks, Processes: ranks, Seed: seed}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{Coalesce: 16}, func(r *pebble.Rank) error {
			return relax(r, g, got)
		}))
		require.Equal(t, want, got, "%d simulated ranks", ranks)
	}
}
