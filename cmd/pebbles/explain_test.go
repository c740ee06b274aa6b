package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// TestExplain asks every application what it would do. Nothing is run, so there is no result.
func TestExplain(t *testing.T) {
	for app, line := range small {
		for flags, begins := range map[string]string{
			"--ranks 1":            "1 rank in 1 process, mem transport\n",
			"--ranks 4":            "4 ranks in 1 process, mem transport\n",
			"--procs 2":            "2 ranks in 2 processes, shm transport\n",
			"--procs 2 --ranks 5 ": "5 ranks in 2 processes, shm transport\n",
		} {
			t.Run(app+" "+flags, func(t *testing.T) {
				t.Parallel()
				explain := with(with(line, "--explain"), strings.Fields(flags)...)
				text := succeeds(t, explain...)
				require.True(t, strings.HasPrefix(text, begins), text)
				require.Regexp(t, `(?m)^an epoch ends by \w+ \(`, text)
				require.Regexp(t, `(?m)^target ".+": direct topology, `, text)
				require.Regexp(t, `(?m)^memory of a rank: \d+ bytes of full frames`, text)
				require.NotContains(t, text, "verified")
				require.NotRegexp(t, `\b1 (ranks|processes|hops|messages|buffers|neighbours|credits)\b`, text)

				stdout := succeeds(t, with(explain, "--json")...)
				require.NotContains(t, object(t, stdout), "errors")
				var e pebble.Explanation
				require.NoError(t, json.Unmarshal([]byte(stdout), &e))
				require.Equal(t, picked(t, "direct", e.Ranks, depths[app]), e.Detector)
				require.Equal(t, depths[app], e.Depth)
				require.NotEmpty(t, e.Targets)
				e.Limit = 0 // which depends on what is free
				require.Equal(t, limitNumber.ReplaceAllString(text, "to 0;"), e.String(), "both forms say the same")
			})
		}
	}
}

var limitNumber = regexp.MustCompile(`to \d+;`)

// The flags of buffers and links are what is explained.
func TestExplainFlags(t *testing.T) {
	line := "randomaccess --log2-words 10 --explain --json --procs 2 --ranks 8 --topology mesh:2x4 --credits 3 " +
		"--coalesce 100 --memory 64MiB --termination skr"
	var e pebble.Explanation
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, strings.Fields(line)...)), &e))
	require.Equal(t, "mesh:2x4", e.Targets[0].Topology)
	require.Equal(t, 4, e.Targets[0].Neighbors)
	require.Equal(t, 2, e.Targets[0].Hops)
	require.Equal(t, 3, e.Targets[0].Credits)
	require.EqualValues(t, 64<<20, e.Limit)
	require.Equal(t, "skr", e.Detector)
}
