package apps_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
)

func TestHarmonicMean(t *testing.T) {
	require.Equal(t, 0.0, apps.HarmonicMean(nil))
	require.Equal(t, 0.0, apps.HarmonicMean([]float64{3, 0}))
	require.InDelta(t, 4.8, apps.HarmonicMean([]float64{4, 6}), 1e-9)
}
