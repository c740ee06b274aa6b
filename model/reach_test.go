package model_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// The reach agrees with a check of all routes; nearly, if only some are walked.
func TestReachIsThatOfAllRoutes(t *testing.T) {
	for _, name := range append(words, "dynamic:hypercube", "torus:4x4") {
		for _, ranks := range []int{1, 2, 16, 21, 64, 600} {
			if name == "torus:4x4" && ranks != 16 {
				continue
			}
			t.Run(fmt.Sprint(name, " ", ranks), func(t *testing.T) {
				top := made(byName(t, name), ranks, ranks, ranks)
				checked, err := route.Check(top)
				require.NoError(t, err)
				r, err := model.ReachOf(top)
				require.NoError(t, err)
				require.Equal(t, checked.NeighborsMax, r.Neighbors)
				require.Equal(t, ranks <= 512 || checked.Diameter == 1, r.Exact)
				within := 1e-9
				if !r.Exact {
					within = 0.15 * checked.MeanHops
				}
				require.InDelta(t, checked.MeanHops, r.MeanHops, within)
			})
		}
	}
}

// A million ranks are sampled.
func TestReachOfMany(t *testing.T) {
	const ranks = 1 << 20
	for name, want := range map[string]model.Reach{
		"direct":    {Neighbors: ranks - 1, MeanHops: 1, Exact: true},
		"hypercube": {Neighbors: 20, MeanHops: 10 * float64(ranks) / (ranks - 1)},
	} {
		r, err := model.ReachOf(byName(t, name)(ranks))
		require.NoError(t, err)
		require.InDelta(t, want.MeanHops, r.MeanHops, 1e-9)
		r.MeanHops = want.MeanHops
		require.Equal(t, want, r)
	}
}
