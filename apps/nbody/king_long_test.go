//go:build long && !race

package nbody

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ChaNGa's King model has its energy at the start, and is the same after a step on any number of ranks.
func TestKing(t *testing.T) {
	c := Config{Source: king(t), Steps: 1, Step: 0.05, Rungs: 1, Eta: 0.14, Sample: -1}
	var first Result
	for _, ranks := range []int{1, 2, 4, 7} {
		got := runOn(t, ranks, min(ranks, 2), c)
		if ranks == 1 {
			first = got
			t.Log(got.EnergyStart, got.EnergyEnd)
			require.InEpsilon(t, reference, got.EnergyStart, 1e-4)
		}
		sameAs(t, first, got)
	}
}

// Energy is conserved to four decimals over ten steps.
func TestKingDrift(t *testing.T) {
	got := runOn(t, 2, 2, Config{Source: king(t), Steps: 10, Step: 0.1, Rungs: 10, Eta: 0.1, Sample: -1})
	require.Zero(t, got.Errors, got.Wrong)
	t.Log(got.EnergyStart, got.EnergyEnd)
	require.InDelta(t, got.EnergyStart, got.EnergyEnd, 5e-4)
}
