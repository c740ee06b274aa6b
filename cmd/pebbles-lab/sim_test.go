package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/internal/launch"
)

func TestSweep(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "plots")
	line := "sim epochs --count 3 --sweep ranks=2,8 --sweep topology=direct,hypercube -q"
	r := typed(line + " --json --plot " + plot)
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	var at []string
	for text := range strings.Lines(r.Stdout) {
		var o struct {
			Ranks    json.Number
			Topology string
		}
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		at = append(at, o.Ranks.String()+" "+o.Topology)
	}
	require.Equal(t, []string{"2 direct", "2 hypercube", "8 direct", "8 hypercube"}, at)
	for _, of := range []string{"time", "frames", "buffers", "detection"} {
		require.FileExists(t, filepath.Join(plot, "simulated-epochs-"+of+".svg"))
	}
	require.Len(t, strings.Split(strings.TrimSpace(typed(line).Stdout), "\n"), 5)
}

func TestFuzz(t *testing.T) {
	r := typed("sim --fuzz --worlds 50 --seconds 60 --seed 7 --json -q")
	require.Equal(t, launch.ExitOK, r.Status, r.Stderr)
	o := commandtest.Object(t, r.Stdout)
	require.EqualValues(t, 50, o["worlds"])
	require.EqualValues(t, 7, o["seed"])

	r = typed("sim --fuzz --worlds 3 --seconds 60 --seed 7")
	require.Zero(t, r.Status, r.Stderr)
	require.Contains(t, r.Stdout, "3 worlds passed in ")
	require.Contains(t, r.Stderr, "seed 7\n")

	r = typed("sim --fuzz --connections --worlds 20 --seconds 60 --seed 7 -q")
	require.Zero(t, r.Status, r.Stderr)
	require.Contains(t, r.Stdout, "were dialled from both ends; ")
	both := typed("sim --fuzz --connections --checkpoints")
	require.Equal(t, command.ExitUsage, both.Status)
	require.Contains(t, both.Stderr, "give one of them")

	again := typed("sim --fuzz --world seed=7")
	require.Equal(t, launch.ExitOK, again.Status, again.Stderr)
	require.Contains(t, again.Stdout, "passed: seed=7")
	require.Equal(t, command.ExitUsage, typed("sim --fuzz --world size=7").Status)
}
