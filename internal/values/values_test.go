package values_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/values"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "65536": 65536, "64KiB": 65536, "64k": 65536, "64kB": 64000, "1.5G": 3 << 29, " 2 MiB": 2 << 20, "1B": 1,
		"1 TB": 1e12,
	} {
		got, err := values.Bytes(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0", "-1", "0.5", "KiB", "64 parsecs", "1e3", "64µ", "NaN", "Inf"} {
		_, err := values.Bytes(text)
		require.Error(t, err, text)
		require.NotErrorIs(t, err, strconv.ErrRange, text)
	}
	_, err := values.Bytes("9999999999T")
	require.ErrorIs(t, err, strconv.ErrRange)
}

func TestCounts(t *testing.T) {
	n, auto, err := values.CountOrAuto("auto", 1)
	require.NoError(t, err)
	require.True(t, auto)
	require.Zero(t, n)
	n, auto, err = values.CountOrAuto("7", 7)
	require.NoError(t, err)
	require.False(t, auto)
	require.Equal(t, 7, n)
	_, _, err = values.CountOrAuto("6", 7)
	require.EqualError(t, err, "must be a whole number, 7 or more, or auto")
	_, err = values.Count("99999999999999999999", 0)
	require.ErrorIs(t, err, strconv.ErrRange)
	_, err = values.Count("-99999999999999999999", 0)
	require.EqualError(t, err, "must be a whole number, 0 or more")
}

func TestWaits(t *testing.T) {
	for text, want := range map[string]time.Duration{"never": -1, "2ms": 2 * time.Millisecond, "1h0m0s": time.Hour} {
		got, err := values.Wait(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, values.WaitText(got))
	}
	for _, text := range []string{"", "0", "-1s", "2", "always"} {
		_, err := values.Wait(text)
		require.Error(t, err, text)
	}
}
