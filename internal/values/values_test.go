package values

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "65536": 65536, "64KiB": 65536, "64k": 65536, "64kB": 64000, "1.5G": 3 << 29, " 2 MiB": 2 << 20, "1B": 1,
		"1 TB": 1e12,
	} {
		got, err := Bytes(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0", "-1", "0.5", "KiB", "64 parsecs", "1e3", "64µ", "NaN", "Inf"} {
		_, err := Bytes(text)
		require.Error(t, err, text)
		require.NotErrorIs(t, err, strconv.ErrRange, text)
	}
	_, err := Bytes("9999999999T")
	require.ErrorIs(t, err, strconv.ErrRange)
}

func TestCounts(t *testing.T) {
	n, auto, err := CountOrAuto("auto", 1)
	require.NoError(t, err)
	require.True(t, auto)
	require.Zero(t, n)
	n, auto, err = CountOrAuto("7", 7)
	require.NoError(t, err)
	require.False(t, auto)
	require.Equal(t, 7, n)
	_, _, err = CountOrAuto("6", 7)
	require.EqualError(t, err, "must be a whole number, 7 or more, or auto")
	_, err = Count("99999999999999999999", 0)
	require.ErrorIs(t, err, strconv.ErrRange)
	_, err = Count("-99999999999999999999", 0)
	require.EqualError(t, err, "must be a whole number, 0 or more")
}

func TestWaits(t *testing.T) {
	for text, want := range map[string]time.Duration{"never": -1, "2ms": 2 * time.Millisecond, "1h0m0s": time.Hour} {
		got, err := Wait(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, WaitText(got))
	}
	for _, text := range []string{"", "0", "-1s", "2", "always"} {
		_, err := Wait(text)
		require.Error(t, err, text)
	}
}

// FuzzValues reads arbitrary flag values: accepted ones are within bounds.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"0", "-1", "64KiB", "1.5G", "1e30T", "nan", "inf", "auto", "10ms", "never", " 7 kb",
		"16384TiB", "1PiB", "1024PiB", "1023.9999K", "9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := Count(text, 1); err == nil {
			require.Positive(t, n)
		}
		if n, err := Bytes(text); err == nil {
			require.Positive(t, n)
			require.LessOrEqual(t, n, int64(1<<60))
			back, err := Bytes(BytesText(n))
			require.NoError(t, err, BytesText(n))
			require.InEpsilon(t, n, back, 1e-3)
		}
		_, _ = Wait(text)
	})
}

// Files that would never end, or fill the memory, are refused before they are read.
func TestTextRefusesWhatMightNeverEnd(t *testing.T) {
	folder := t.TempDir()
	pipe, long := filepath.Join(folder, "pipe"), filepath.Join(folder, "long")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(long, nil, 0o600))
	require.NoError(t, os.Truncate(long, textMax+1))
	for name, says := range map[string]string{
		pipe: "is not a regular file", "/dev/zero": "is not a regular file", folder: "is not a regular file",
		long: "more than the 67108864", filepath.Join(folder, "absent"): "no such file",
	} {
		_, err := Text(name)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, name)
	}
}

func TestTextOfAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(name, []byte("a text"), 0o600))
	text, err := Text(name)
	require.NoError(t, err)
	require.Equal(t, "a text", string(text))
}
