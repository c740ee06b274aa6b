package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
)

var littleFit = []string{"fit", "--repeats", "2", "--frames", "60", "--time", "0", "--pebbles", "32768"}

// TestFit measures everything, saves it where pebbles-lab model looks for it, and prints it.
func TestFit(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	text := succeeds(t, littleFit...)
	place, err := machine.ParametersFile()
	require.NoError(t, err)
	require.Contains(t, text, place)
	f, err := machine.ReadParameters(place)
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

// TestFitKeepsOthers requires that a measurement of one transport keeps the saved others.
func TestFitKeepsOthers(t *testing.T) {
	out := filepath.Join(t.TempDir(), "p.json")
	succeeds(t, with(littleFit, "--transport", "tcp", "--out", out)...)
	before, err := machine.ReadParameters(out)
	require.NoError(t, err)
	require.Len(t, before.Measured, 1)
	require.Equal(t, before.Parameters.Network, before.Parameters.Process, "what was never measured is as what was")
	succeeds(t, with(littleFit, "--transport", "mem", "--out", out)...)
	after, err := machine.ReadParameters(out)
	require.NoError(t, err)
	require.Len(t, after.Measured, 2)
	require.Equal(t, before.Parameters.Network, after.Parameters.Network)
	require.Equal(t, before.Measured["network"], after.Measured["network"])
	require.NotEqual(t, before.Parameters.Process, after.Parameters.Process)
}

// TestFitIsNoProgram requires that fit cannot be started as a job.
func TestFitIsNoProgram(t *testing.T) {
	r := pebbles("run", "-n", "2", "--", binary, "fit")
	require.NotZero(t, r.Status)
	require.Contains(t, r.Stderr, "starts its processes itself")
}

// TestFitOfApplication requires that the costs of an application's pebbles are saved with the parameters.
func TestFitOfApplication(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	place, err := machine.ParametersFile()
	require.NoError(t, err)
	fails(t, launch.ExitError, []string{"fit", "--app", "alltoall --rounds 50"}, "run pebbles-lab fit first")
	require.NoError(t, machine.WriteParameters(place, model.File{Format: model.FileFormat, Parameters: model.Odin}))
	text := succeeds(t, "fit", "--app", "alltoall --rounds 50", "--repeats", "1")
	require.Contains(t, text, "alltoall --rounds=50")
	text = succeeds(t, "fit", "--app", "alltoall --rounds 50 --ranks 3", "--repeats", "1", "--json")
	require.Contains(t, text, "alltoall --rounds=50 --ranks=3")
	kept, err := machine.ReadParameters(place)
	require.NoError(t, err)
	require.Len(t, kept.Applications, 2)
}

func TestAppMistakes(t *testing.T) {
	for app, says := range map[string]string{
		"":                          "is empty",
		"nosuch":                    "no such application",
		"alltoall --bytes 0":        "bytes",
		"alltoall --procs 2":        "have no place here",
		"alltoall --explain":        "have no place here",
		"randomaccess --log2-words": "log2-words",
	} {
		fails(t, command.ExitUsage, []string{"fit", "--app", app}, says)
	}
}
