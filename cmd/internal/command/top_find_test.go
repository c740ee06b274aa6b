package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/jobs"
)

// listIn puts the list of jobs into a folder of this test.
func listIn(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func announce(t *testing.T, e jobs.Entry) {
	t.Helper()
	forget, err := jobs.Announce(e)
	require.NoError(t, err)
	t.Cleanup(forget)
}

// command runs a single command.
func command(t *testing.T, of func(Terminal) *cobra.Command, args ...string) ran {
	t.Helper()
	var stdout, stderr strings.Builder
	c := of(Terminal{Stdout: &stdout, Stderr: &stderr})
	c.SetArgs(append([]string{}, args...)) // nil would mean those of the test
	c.SetErr(&stderr)
	c.SilenceErrors, c.SilenceUsage = true, true
	status := Execute(c)
	return ran{Stdout: stdout.String(), Stderr: stderr.String(), Status: status}
}

const secretURL = "http://127.0.0.1:8080/?token=secret"

func TestPs(t *testing.T) {
	listIn(t)
	require.Equal(t, ran{Stdout: "You run no job on this host.\n"}, command(t, newPs))
	require.Equal(t, ran{Stdout: "{\"jobs\":[]}\n"}, command(t, newPs, "--json"))
	now := time.Now()
	announce(t, jobs.Entry{Program: "bfs", Job: "3f9c2a", Ranks: 64, Processes: 16,
		Started: now.Add(-95500 * time.Millisecond), URL: secretURL})
	announce(t, jobs.Entry{Program: "\x1b[2J", Ranks: 1, Processes: 1, Started: now})
	pid := strconv.Itoa(os.Getpid())
	r := command(t, newPs)
	require.Zero(t, r.Status, r.Stderr)
	lines := strings.Split(r.Stdout, "\n")
	require.Equal(t, []string{"PID", "JOB", "PROGRAM", "RANKS", "PROCESSES", "AGE", "URL"}, strings.Fields(lines[0]))
	first := strings.Fields(lines[1])
	require.Contains(t, []string{"1m35s", "1m36s"}, first[5])
	first[5] = ""
	require.Equal(t, []string{pid, "3f9c2a", "bfs", "64", "16", "", "http://127.0.0.1:8080/"}, first)
	require.Equal(t, []string{pid, "-", `\x1b[2J`, "1", "1"}, strings.Fields(lines[2])[:5])

	inJSON := command(t, newPs, "--json")
	require.Zero(t, inJSON.Status)
	require.NotContains(t, r.Stdout+inJSON.Stdout, "secret")
	var all struct{ Jobs []jobs.Entry }
	require.NoError(t, json.Unmarshal([]byte(inJSON.Stdout), &all))
	require.Len(t, all.Jobs, 2)
	require.Equal(t, "http://127.0.0.1:8080/", all.Jobs[0].URL)
	require.Equal(t, ExitUsage, command(t, newPs, "word").Status)
}

func TestPsNamesDamage(t *testing.T) {
	listIn(t)
	announce(t, jobs.Entry{Program: "bfs"})
	damaged := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "pebbles", "jobs", "job-damaged.json")
	require.NoError(t, os.WriteFile(damaged, []byte("{"), 0o600))
	r := command(t, newPs)
	require.Equal(t, 1, r.Status)
	require.Contains(t, r.Stdout, "bfs")
	require.Contains(t, r.Stderr, damaged)
}

func TestWithoutToken(t *testing.T) {
	for address, want := range map[string]string{
		"": "", "%": "", "secret": "", "http://user:secret@h:1/p?token=secret#secret": "http://h:1/p",
	} {
		require.Equal(t, want, withoutToken(address))
	}
}

func TestFind(t *testing.T) {
	listIn(t)
	_, err := find("")
	require.ErrorContains(t, err, "you run no job on this host: start one with --http")
	_, err = find("3f9c2a")
	require.ErrorContains(t, err, `you run no job "3f9c2a" on this host`)
	address, err := find("http://elsewhere/?token=secret")
	require.NoError(t, err)
	require.Equal(t, "http://elsewhere/?token=secret", address)

	announce(t, jobs.Entry{Program: "sssp", Job: "bare"})
	_, err = find("")
	require.ErrorContains(t, err, "start it with --http")
	_, err = find("bare")
	require.ErrorContains(t, err, "start it with --http")

	announce(t, jobs.Entry{Program: "bfs", Job: "one", URL: secretURL})
	for _, name := range []string{"", "one", strconv.Itoa(os.Getpid())} {
		address, err := find(name)
		require.NoError(t, err)
		require.Equal(t, secretURL, address)
	}
	announce(t, jobs.Entry{Program: "\x1b[2J", Job: "two", URL: secretURL})
	_, err = find("")
	require.ErrorContains(t, err, "2 jobs have a page: name one of them by its pid")
	require.ErrorContains(t, err, "bfs, job one, ")
	require.ErrorContains(t, err, `\x1b[2J, job two`)
	require.NotContains(t, err.Error(), "secret")
	require.ElementsMatch(t, []string{"one", "two"}, watchable(nil))
	require.Empty(t, watchable([]string{"one"}))
}

func TestTopOnce(t *testing.T) {
	listIn(t)
	s := served(t, newMadeUpJob(4, "stalled"))
	announce(t, jobs.Entry{Job: "one", URL: s.URL()})
	for _, args := range [][]string{nil, {"--once", s.URL()}} {
		r := command(t, newTop, args...)
		require.Zero(t, r.Status, r.Stderr)
		require.Empty(t, r.Stderr)
		require.True(t, strings.HasPrefix(r.Stdout, `3 ranks wait for the end of epoch "relax"`), r.Stdout)
		require.Contains(t, r.Stdout, "RANK")
		require.Contains(t, r.Stdout, "waits for the end of epoch \"relax\" (bfs.go:88)\n", "nothing is cut")
		require.Contains(t, r.Stdout, "FROM")
		require.NotContains(t, r.Stdout, "\x1b")
		require.NotContains(t, r.Stdout, "-/s", "there are rates")
	}
	r := command(t, newTop, "--once", "--json")
	require.Zero(t, r.Status, r.Stderr)
	require.Equal(t, 1, strings.Count(r.Stdout, "\n"))
	require.Contains(t, r.Stdout, `{"program":"bfs","id":"3f9c2a","ranks":4,`)
}

func TestTopMistakes(t *testing.T) {
	listIn(t)
	s := served(t, newMadeUpJob(4, "stalled"))
	require.NoError(t, s.Close())
	_, token, _ := strings.Cut(s.URL(), "token=")
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{nil, 1, "start one with --http"}, {[]string{"a", "b"}, ExitUsage, `unexpected argument "b"`},
		{[]string{s.URL()}, 1, "connection refused"}, {[]string{"--json", s.URL()}, 1, "connection refused"},
		{[]string{"ftp://h"}, 1, "give the address that the job has printed"},
	} {
		r := command(t, newTop, c.args...)
		require.Equal(t, c.status, r.Status, c.args)
		require.Contains(t, r.Stderr, c.says)
		require.NotContains(t, r.Stderr, token)
		require.Empty(t, r.Stdout)
	}
}
