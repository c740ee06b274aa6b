//go:build !race

package nbody

// These take too long under the race detector, to which small systems show the same.

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

// king is ChaNGa's test. It takes seconds.
func king(t testing.TB) *tipsy.File {
	t.Helper()
	if testing.Short() {
		t.Skip("simulates 36,000 particles")
	}
	b, err := os.ReadFile(appstest.Data(t, "changa/king_soft.bin"))
	require.NoError(t, err)
	f, err := tipsy.Open("king_soft.bin", bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return f
}

// reference is the energy of ChaNGa's King model at the start, as PKDGRAV has found it. Direct sums are -32.191521.
const reference = -32.191951

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

// Energy is kept to four decimals over ten steps.
func TestKingDrift(t *testing.T) {
	got := runOn(t, 2, 2, Config{Source: king(t), Steps: 10, Step: 0.1, Rungs: 10, Eta: 0.1, Sample: -1})
	require.Zero(t, got.Errors, got.Wrong)
	t.Log(got.EnergyStart, got.EnergyEnd)
	require.InDelta(t, got.EnergyStart, got.EnergyEnd, 5e-4)
}

// Forces are close to direct sums.
func TestForceErrors(t *testing.T) {
	for _, s := range []Source{king(t), system(t, 20_000, 1)} {
		got := runOn(t, 2, 2, Config{Source: s, Sample: 1000})
		require.Zero(t, got.Errors, got.Wrong)
		t.Log(got.System, got.ErrorMedian, got.Error99)
		require.Less(t, got.ErrorMedian, 1e-3)
		require.Less(t, got.Error99, 1e-2)
	}
}
