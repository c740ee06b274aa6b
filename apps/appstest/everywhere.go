package appstest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

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
