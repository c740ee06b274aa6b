package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scripttest"
)

// TestRun starts this command by itself: any program built on the library would do.
func TestRun(t *testing.T) {
	for _, c := range []struct{ flags, ranks, procs, transport string }{
		{"-n 1", "1", "1", "tcp"},
		{"-n 3", "3", "3", "shm"},
		{"-n 2 --ranks 5", "5", "2", "shm"},
		{"-n 2 --bind lo", "2", "2", "shm"},
		{"-n 2 --transport tcp", "2", "2", "tcp"},
		{"-n 2 --transport shm", "2", "2", "shm"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			line := append(append([]string{"run"}, strings.Fields(c.flags)...), "--", binary)
			stdout := succeeds(t, with(line, with(small["randomaccess"], "--json")...)...)
			prefix, text, found := strings.Cut(stdout, "] ")
			require.True(t, found, stdout)
			require.True(t, strings.HasPrefix(prefix, "[0"), stdout)
			require.Contains(t, text, `"ranks":`+c.ranks+`,"procs":`+c.procs+`,"transport":"`+c.transport+`"`)
			require.Equal(t, 1, strings.Count(stdout, "\n"), "only rank 0 prints")
		})
	}
}

func TestRunForwards(t *testing.T) {
	shell := func(flags string, script string) ran {
		return pebbles(t, append(append([]string{"run"}, strings.Fields(flags)...), "--", "sh", "-c", script)...)
	}
	t.Run("output", func(t *testing.T) {
		r := shell("-n 3 --ranks 5", "echo out; echo err >&2")
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
		slices.Sort(lines)
		require.Equal(t, []string{"[0-1] out", "[2-3] out", "[4] out"}, lines)
		require.Equal(t, 3, strings.Count(r.stderr, "] err\n"))
		require.Zero(t, r.status)
	})
	t.Run("status", func(t *testing.T) {
		r := shell("-n 2", `test "$PEBBLES_PROCESS" = 0 || exit 7`)
		require.Equal(t, 7, r.status)
		require.Contains(t, r.stderr, "pebbles run: process 1 (rank 1) ended with status 7")
	})
	t.Run("arguments", func(t *testing.T) {
		r := pebbles(t, "run", "-n", "1", "echo", "--ranks", "two words", "-n")
		require.Equal(t, "[0] --ranks two words -n\n", r.stdout)
	})
}

func TestRunMismatch(t *testing.T) {
	for flags, says := range map[string]string{"--ranks 5": "started with 2", "--procs 3": "started with 2 processes"} {
		line := append([]string{"run", "-n", "2", "--", binary}, small["randomaccess"]...)
		r := pebbles(t, with(line, strings.Fields(flags)...)...)
		require.Equal(t, 1, r.status, r.stderr)
		require.Contains(t, r.stderr, says)
	}
	r := pebbles(t, "run", "-n", "2", "--", binary, "randomaccess", "--transport", "mem")
	require.Equal(t, 2, r.status, r.stderr)
	require.Contains(t, r.stderr, "--transport mem")
}

// TestHosts reaches "hosts" by a command that stands for ssh and runs what it is given here.
func TestHosts(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "fakessh")
	scripttest.Write(t, fake, "for last; do :; done\nexec sh -c \"$last\"")
	line := with(small["randomaccess"], "--json", "--hosts", "alpha,beta", "--bind", "127.0.0.1", "--ssh", fake)
	o := object(t, succeeds(t, line...))
	require.EqualValues(t, 2, o["procs"])
	o = object(t, succeeds(t, with(line, "--procs", "3", "--ranks", "4")...))
	require.EqualValues(t, 3, o["procs"])
	require.EqualValues(t, 4, o["ranks"])
}

// TestManyRanks has more ranks than any machine that runs tests has to have cores.
func TestManyRanks(t *testing.T) {
	for _, flags := range []string{"--ranks 8", "--procs 8", "--procs 2 --ranks 16 --topology hypercube"} {
		t.Run(flags, func(t *testing.T) {
			line := []string{"randomaccess", "--log2-words", "14", "--json"}
			c := exec.Command(binary, with(line, strings.Fields(flags)...)...)
			c.Env = append(os.Environ(), "GOMAXPROCS=2")
			stdout, err := c.Output()
			require.NoError(t, err)
			require.EqualValues(t, 0, object(t, string(stdout))["errors"])
		})
	}
}
