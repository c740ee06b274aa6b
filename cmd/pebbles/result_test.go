package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// fields are those that every JSON object has.
var fields = []string{"app", "ranks", "procs", "transport", "topology", "termination", "coalesce", "cache", "seed",
	"seconds", "set_up_seconds", "verify_seconds", "errors", "counters", "memory"}

// own are the fields of each application.
var own = map[string][]string{
	"randomaccess": {"updates", "updates_per_second", "checksum", "hpcc_rule"},
	"permutation":  {"elements", "elements_per_second"},
	"pointerchase": {"hops", "seconds_per_hop"},
	"bfs": {"vertices", "edges", "roots", "validated", "harmonic_mean_teps", "reached", "depths", "distance_sums",
		"teps"},
}

// object reads standard output that must be one JSON object and nothing else.
func object(t *testing.T, stdout string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]any
	require.NoError(t, d.Decode(&o), stdout)
	require.False(t, d.More(), stdout)
	return o
}

func TestJSON(t *testing.T) {
	for app, line := range small {
		for _, where := range []struct {
			flags               string
			ranks, procs        int
			transport, topology string
			coalesce, cache     int
		}{
			{"--ranks 3", 3, 1, "mem", "direct", 0, 0},
			{"--procs 2", 2, 2, "tcp", "direct", 0, 0},
			{"--procs 2 --ranks 5 --transport tcp --topology hypercube --coalesce 7 --cache 64 --seed 9", 5, 2, "tcp", "hypercube", 7, 64},
			{"--ranks 8 --due never --memory 1GiB --termination skr --transport mem", 8, 1, "mem", "direct", 0, 0},
		} {
			t.Run(app+" "+where.flags, func(t *testing.T) {
				o := object(t, succeeds(t, with(with(line, "--json"), strings.Fields(where.flags)...)...))
				for _, f := range append(own[app], fields...) {
					require.Contains(t, o, f)
				}
				require.Equal(t, app, o["app"])
				require.EqualValues(t, 0, o["errors"])
				require.EqualValues(t, where.ranks, o["ranks"])
				require.EqualValues(t, where.procs, o["procs"])
				require.Equal(t, where.transport, o["transport"])
				require.Equal(t, where.topology, o["topology"])
				require.Equal(t, "skr", o["termination"])
				if where.coalesce != 0 && app != "pointerchase" { // whose one message does not wait
					require.EqualValues(t, where.coalesce, o["coalesce"])
					require.EqualValues(t, where.cache, o["cache"])
				}
				counters := o["counters"].(map[string]any)
				for _, c := range []string{"frames_sent", "pebbles_sent", "bytes_sent", "forwarded", "merged", "flush_full",
					"flush_due", "flush_explicit", "flush_idle", "epochs"} {
					require.Contains(t, counters, c)
				}
				require.NotZero(t, counters["pebbles_sent"])
				memory := o["memory"].(map[string]any)
				require.NotZero(t, memory["buffers_peak"])
				require.NotZero(t, memory["resident_peak"])
			})
		}
	}
}

func TestTable(t *testing.T) {
	for app, line := range small {
		t.Run(app, func(t *testing.T) {
			stdout := succeeds(t, with(line, "--ranks", "2")...)
			require.Regexp(t, "^"+app+` +2 ranks in 1 process, mem transport, direct topology, \d+ pebbles? a buffer\n`, stdout)
			require.Regexp(t, `(?m)^verified +yes$`, stdout)
			require.Regexp(t, `(?s)\nverified .*\ntime .*\npebbles .*\nframes .*\nepochs .*\nmemory .*\n$`, stdout)
			aligned(t, stdout)
		})
	}
}

func TestTableIsLaidOut(t *testing.T) {
	var text strings.Builder
	require.NoError(t, outcome{
		report: apps.Report{
			App: "fake", Ranks: 8, Procs: 2, Transport: "tcp", Topology: "hypercube", Termination: "skr", Coalesce: 64, Cache: 4096,
			Seconds: 1.23456, SetUp: 0.0123456, Verify: 0.0000123, Errors: 1234,
			Counters: pebble.Counters{
				PebblesSent: 8388608, PebblesHandled: 8388000, Forwarded: 999, Merged: 608,
				FramesSent: 1500, BytesSent: 67108864, FlushFull: 1000, FlushExplicit: 300, FlushIdle: 200, Epochs: 3, Rounds: 1007,
			},
			Memory: apps.Memory{BuffersPeak: 1536, ResidentPeak: 5 << 30},
		},
		rows: [][2]string{{"updates", "7"}, {"updates a second", "5.67 million"}},
	}.print(&text, false))
	require.Equal(t, `fake              8 ranks in 2 processes, tcp transport, hypercube topology, 64 pebbles a buffer, cache of 4096 entries
updates           7
updates a second  5.67 million
verified          NO: 1,234 errors
time              1.23s, and 12.35ms to set up, 12.3µs to verify
pebbles           8,388,608 sent, 8,388,000 handled, 999 forwarded, 608 merged
frames            1,500 sent, 64 MiB: 1,000 full, 300 flushed, 200 idle
epochs            3, 1,007 rounds of skr
memory            1.5 KiB for pebbles at most on a rank, 5 GiB resident at most in a process
`, text.String())
}

// TestWrongResult shows that a result with errors is printed, told of, and makes the command fail.
func TestWrongResult(t *testing.T) {
	var stdout strings.Builder
	j := job{terminal: terminal{stdout: &stdout}, settings: &settings{}}
	err := j.settle(outcome{report: apps.Report{App: "fake", Errors: 3}})
	var f *failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, 1, f.status)
	require.ErrorContains(t, f.err, "3 errors")
	require.Contains(t, stdout.String(), "NO: 3 errors")
	require.NoError(t, j.settle(outcome{report: apps.Report{App: "fake"}}))
}

// TestNoRoom shows that a result that can't be written makes the command fail.
func TestNoRoom(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	for _, flag := range []string{"--json", "--quiet"} {
		var stderr strings.Builder
		c := exec.Command(binary, with(small["randomaccess"], flag)...)
		c.Stdout, c.Stderr = full, &stderr
		require.Error(t, c.Run())
		require.Equal(t, 1, c.ProcessState.ExitCode())
		require.Contains(t, stderr.String(), "write the result")
	}
}

// aligned checks that all values begin in the same column.
func aligned(t *testing.T, table string) {
	t.Helper()
	first, _, _ := strings.Cut(table, "\n")
	column := regexp.MustCompile(`^\S+ +`).FindString(first)
	for line := range strings.Lines(table) {
		require.Greater(t, len(line), len(column), line)
		require.Equal(t, byte(' '), line[len(column)-1], line)
		require.NotEqual(t, byte(' '), line[len(column)], line)
	}
}
