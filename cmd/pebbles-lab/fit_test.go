package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
)

var littleFit = []string{"fit", "--repeats", "2", "--frames", "60", "--time", "0", "--pebbles", "32768"}

// Everything is measured, kept where pebbles-lab model looks for it, and shown.
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

// One transport leaves what was kept of the others.
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

// A job can't be made of it.
func TestFitIsNoProgram(t *testing.T) {
	r := pebbles("run", "-n", "2", "--", binary, "fit")
	require.NotZero(t, r.Status)
	require.Contains(t, r.Stderr, "starts its processes itself")
}

// What pebbles of an application cost is kept beside the parameters, and its simulation takes them, however many ranks
// there are.
func TestSimulationByFit(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	r := typed("sim alltoall --ranks 2 --rounds 50 --network fitted")
	require.NotEqual(t, launch.ExitOK, r.Status)
	require.Contains(t, r.Stderr, "run pebbles-lab fit first")

	place, err := machine.ParametersFile()
	require.NoError(t, err)
	file := model.File{Format: model.FileFormat, Parameters: model.Odin}
	file.Parameters.Cores.Count = 2
	require.NoError(t, machine.WriteParameters(place, file))
	line := "sim alltoall --ranks 4 --rounds 50 --network fitted"
	r = typed(line)
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	require.Contains(t, r.Stderr, "pebbles-lab fit --app 'alltoall --rounds=50'")

	text := succeeds(t, "fit", "--app", "alltoall --rounds 50", "--repeats", "1")
	require.Contains(t, text, "alltoall --rounds=50")
	kept, err := machine.ReadParameters(place)
	require.NoError(t, err)
	require.Contains(t, kept.Applications, "alltoall --rounds=50")
	// 150 pebbles of each of 4 ranks, on 2 cores
	kept.Applications["alltoall --rounds=50"] = model.Application{Send: 1e-3}
	require.NoError(t, machine.WriteParameters(place, kept))

	r = typed(line + " --json")
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	require.Empty(t, r.Stderr)
	require.InEpsilon(t, 0.3, commandtest.Object(t, r.Stdout)["seconds"], 0.01)
	r = typed(line + " --json --cores 4")
	require.InEpsilon(t, 0.15, commandtest.Object(t, r.Stdout)["seconds"], 0.01)
	r = typed(line + " --json --procs 4 --transport tcp")
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	require.Positive(t, commandtest.Object(t, r.Stdout)["simulation"].(map[string]any)["frames_within_host"])

	file.Parameters.Cores.Count = 3
	other := filepath.Join(folder, "other.json")
	require.NoError(t, machine.WriteParameters(other, file))
	r = typed("sim epochs --ranks 2 --count 2 -q --network " + other)
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	left, err := os.ReadDir(filepath.Dir(place))
	require.NoError(t, err)
	require.Len(t, left, 1)
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
		r := pebbles("fit", "--app", app)
		require.Equal(t, command.ExitUsage, r.Status, app)
		require.Contains(t, r.Stderr, says, app)
	}
}
