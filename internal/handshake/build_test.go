package handshake_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// TestBuildSetting compares a launcher's setting for a file with the sum that a process computes, before and after the
// file changes.
func TestBuildSetting(t *testing.T) {
	name := filepath.Join(t.TempDir(), "program")
	write := func(text string) *os.File {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		f, err := os.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	f := write("abc")
	setting, err := handshake.BuildSetting(name)
	require.NoError(t, err)
	_, value, _ := strings.Cut(setting, "=")
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2
	require.True(t, strings.HasSuffix(value, " "+abc), value)

	other := strings.Repeat("0", 64)
	sum, err := handshake.SumOf(f, strings.Replace(value, abc, other, 1)) // it does not read the file
	require.NoError(t, err)
	require.Equal(t, other, sum)

	f = write("abcd")
	sum, err = handshake.SumOf(f, value)
	require.NoError(t, err)
	require.NotEqual(t, abc, sum)
	for _, wrong := range []string{"", " ", "x y", " " + abc} {
		again := write("abcd")
		found, err := handshake.SumOf(again, wrong)
		require.NoError(t, err)
		require.Equal(t, sum, found)
	}
}

// TestBuildSettingReadsOnce requests the setting of a file twice; meanwhile its bytes change, but not its size and its
// time.
func TestBuildSettingReadsOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "program")
	write := func(text string, at time.Time) string {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, at, at))
		setting, err := handshake.BuildSetting(name)
		require.NoError(t, err)
		return setting
	}
	now := time.Now()
	first := write("abc", now)
	require.Equal(t, first, write("xyz", now))
	require.NotEqual(t, first, write("xyz", now.Add(time.Second)))
}
