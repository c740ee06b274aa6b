package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/fit"
)

var littleFit = []string{"fit", "--repeats", "2", "--frames", "60", "--time", "0", "--pebbles", "32768"}

// Everything is measured, kept where pebbles model looks for it, and shown.
func TestFit(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	text := succeeds(t, littleFit...)
	place, err := fit.Place()
	require.NoError(t, err)
	require.Contains(t, text, place)
	f, err := fit.Read(place)
	require.NoError(t, err)
	require.Equal(t, "mem", f.Measured["process"].Transport)
	if runtime.GOOS == "linux" {
		require.Equal(t, "shm", f.Measured["host"].Transport)
	}
	require.Equal(t, "tcp", f.Measured["network"].Transport)
	require.Positive(t, f.Parameters.Network.Message(8))
	require.Positive(t, f.Parameters.Pebble.Handle)
	require.Contains(t, succeeds(t, "model"), "parameters of "+place)
	left, err := os.ReadDir(filepath.Dir(place))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// One transport leaves what was kept of the others.
func TestFitKeepsOthers(t *testing.T) {
	out := filepath.Join(t.TempDir(), "p.json")
	succeeds(t, with(littleFit, "--transport", "tcp", "--out", out)...)
	before, err := fit.Read(out)
	require.NoError(t, err)
	require.Len(t, before.Measured, 1)
	require.Equal(t, before.Parameters.Network, before.Parameters.Process, "what was never measured is as what was")
	succeeds(t, with(littleFit, "--transport", "mem", "--out", out)...)
	after, err := fit.Read(out)
	require.NoError(t, err)
	require.Len(t, after.Measured, 2)
	require.Equal(t, before.Parameters.Network, after.Parameters.Network)
	require.Equal(t, before.Measured["network"], after.Measured["network"])
	require.NotEqual(t, before.Parameters.Process, after.Parameters.Process)
}

// A job can't be made of it.
func TestFitIsNoProgram(t *testing.T) {
	r := pebbles(t, "run", "-n", "2", "--", binary, "fit")
	require.NotZero(t, r.status)
	require.Contains(t, r.stderr, "starts its processes itself")
}
