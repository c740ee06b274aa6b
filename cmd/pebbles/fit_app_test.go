package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
)

// What pebbles of an application cost is kept beside the parameters, and its simulation takes them, however many ranks there are.
func TestSimulationByFit(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
	r := typed(t, "sim alltoall --ranks 2 --rounds 50 --network fitted")
	require.NotEqual(t, launch.ExitOK, r.status)
	require.Contains(t, r.stderr, "run pebbles fit first")

	place, err := fit.Place()
	require.NoError(t, err)
	file := model.File{Format: model.FileFormat, Parameters: model.Odin}
	file.Parameters.Cores.Count = 2
	require.NoError(t, fit.Write(place, file))
	line := "sim alltoall --ranks 4 --rounds 50 --network fitted"
	r = typed(t, line)
	require.Equal(t, launch.ExitOK, r.status, r.stderr)
	require.Contains(t, r.stderr, "pebbles fit --app 'alltoall --rounds=50'")

	text := succeeds(t, "fit", "--app", "alltoall --rounds 50", "--repeats", "1")
	require.Contains(t, text, "alltoall --rounds=50")
	kept, err := fit.Read(place)
	require.NoError(t, err)
	require.Contains(t, kept.Applications, "alltoall --rounds=50")
	kept.Applications["alltoall --rounds=50"] = model.Application{Send: 1e-3} // 150 pebbles of each of 4 ranks, on 2 cores
	require.NoError(t, fit.Write(place, kept))

	r = typed(t, line+" --json")
	require.Equal(t, launch.ExitOK, r.status, r.stderr)
	require.Empty(t, r.stderr)
	require.InEpsilon(t, 0.3, object(t, r.stdout)["seconds"], 0.01)
	r = typed(t, line+" --json --cores 4")
	require.InEpsilon(t, 0.15, object(t, r.stdout)["seconds"], 0.01)
	r = typed(t, line+" --json --procs 4 --transport tcp")
	require.Equal(t, launch.ExitOK, r.status, r.stderr)
	require.Positive(t, object(t, r.stdout)["simulation"].(map[string]any)["frames_within_host"])

	file.Parameters.Cores.Count = 3
	other := filepath.Join(folder, "other.json")
	require.NoError(t, fit.Write(other, file))
	r = typed(t, "sim epochs --ranks 2 --count 2 -q --network "+other)
	require.Equal(t, launch.ExitOK, r.status, r.stderr)
	left, err := os.ReadDir(filepath.Dir(place))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// Parameters mean the same to a simulation: one frame alone takes as long as a message of the model.
func TestNetworkByParameters(t *testing.T) {
	l := model.Link{Latency: 30e-6, Overhead: 2e-6, Gap: 3e-6, PerByte: 1e-9, EndPerByte: 2e-10, Batch: 5e-6}
	n := networkBy(model.Parameters{Network: l, Frame: 1e-6})
	require.NoError(t, n.Check())
	require.Equal(t, sim.End{PerByte: 2e-10, Batch: 5e-6}, n.Ends.Between)
	require.InDelta(t, l.Interval(), n.Between.Gap, 1e-15)
	alone := n.Between.Latency + 2*(n.Between.Overhead+n.Ends.Between.Batch)
	require.InDelta(t, l.Message(0)+1e-6, alone, 1e-15, "with the frame's own cost")
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
		r := pebbles(t, "fit", "--app", app)
		require.Equal(t, exitUsage, r.status, app)
		require.Contains(t, r.stderr, says, app)
	}
}
