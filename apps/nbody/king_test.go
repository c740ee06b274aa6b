//go:build !race

package nbody

// These take too long under the race detector; tests of small systems cover the same code.

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

// king is ChaNGa's test, of 36,000 particles.
func king(t testing.TB) *tipsy.File {
	t.Helper()
	b, err := os.ReadFile(appstest.Data(t, "changa/king_soft.bin"))
	require.NoError(t, err)
	f := appstest.Must(tipsy.Open("king_soft.bin", bytes.NewReader(b), int64(len(b))))
	return f
}

// reference is the energy of ChaNGa's King model at the start, as computed by PKDGRAV. Direct sums give -32.191521.
const reference = -32.191951

// ChaNGa's King model has its energy at the start. Its forces, and those of a Plummer sphere, are close to direct sums.
func TestForceErrors(t *testing.T) {
	for _, s := range []Source{king(t), system(t, 4000, 1)} {
		got := runOn(t, 2, 2, Config{Source: s, Sample: 200})
		require.Zero(t, got.Errors, got.Wrong)
		t.Log(got.System, got.EnergyStart, got.ErrorMedian, got.Error99)
		require.Less(t, got.ErrorMedian, 1e-3)
		require.Less(t, got.Error99, 1e-2)
		if s.Particles() > 4000 {
			require.InEpsilon(t, reference, got.EnergyStart, 1e-4)
		}
	}
}
