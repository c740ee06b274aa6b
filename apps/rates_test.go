package apps

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHarmonicMean(t *testing.T) {
	require.Equal(t, 0.0, HarmonicMean(nil))
	require.Equal(t, 0.0, HarmonicMean([]float64{3, 0}))
	require.InDelta(t, 4.8, HarmonicMean([]float64{4, 6}), 1e-9)
}
