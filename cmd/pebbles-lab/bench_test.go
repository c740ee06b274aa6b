package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/suite"
)

// TestSuiteLines requires that every row of the suite is a command line of this program.
func TestSuiteLines(t *testing.T) {
	for _, quick := range []bool{false, true} {
		for _, g := range suite.Groups(suite.Options{Program: "pebbles-lab", Quick: quick, Transports: command.Transports}) {
			for _, c := range g.Cases {
				var stdout, stderr strings.Builder
				root := command.New(programOf(nil), command.Terminal{Args: c.Args[1:], Stdout: &stdout, Stderr: &stderr,
					Begin: func(*command.Job) error { return &command.Failure{Status: 99, Err: errors.New("started")} }})
				require.Equal(t, 99, command.Execute(root), "%s: %s", c.Line, stderr.String())
				program := "pebbles"
				if c.Args[1] == "limit" {
					program = "pebbles-lab"
				}
				words := slices.Concat(c.Env, []string{program}, c.Args[1:len(c.Args)-1])
				require.Equal(t, strings.Join(words, " "), strings.Join(strings.Fields(c.Line), " "),
					"what is shown is what is run")
			}
		}
	}
}

// TestBench measures two rows with one look at each, and writes all outputs.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	file, page, folder := filepath.Join(dir, "r.json"), filepath.Join(dir, "page.md"), filepath.Join(dir, "plots")
	r := pebbles("bench", "--quick", "--repeats", "4", "--warm-up", "1", "--json", file, "--page", page, "--plot",
		folder,
		"an empty epoch, 2 ranks, direct, (skr|nbx)")
	require.Zero(t, r.Status, r.Stderr)
	require.Contains(t, r.Stdout, "EMPTY EPOCHS")
	require.Regexp(t,
		`(?m)^an empty epoch, 2 ranks, direct, nbx +\S+ ±\d+% .* µs an epoch +\d+\.\d\d +(near|far|mixed|unknown)$`,
		r.Stdout)
	require.Contains(t, r.Stderr, "10/10 repeat 4, ")
	require.Equal(t, 10, strings.Count(r.Stderr, "\n"))

	results, err := lab.Read(file)
	require.NoError(t, err)
	require.Len(t, results.Groups, 1)
	require.Len(t, results.Find("an empty epoch, 2 ranks, direct, nbx").Samples, 4)
	require.True(t, strings.HasPrefix(results.Command, "pebbles-lab bench --quick "))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| an empty epoch, 2 ranks, direct, nbx | ")
	require.Contains(t, string(text), "\n![The end of an empty epoch, by detector](plots/empty-epochs.svg)\n")
	require.FileExists(t, filepath.Join(folder, "empty-epochs.svg"))

	same := pebbles("bench", "compare", file, file)
	require.Zero(t, same.Status, same.Stderr)
	require.Contains(t, same.Stdout, "+0.0%")
}

func TestBenchList(t *testing.T) {
	out := succeeds(t, "bench", "--list", "Latency")
	require.Contains(t, out, "  PointerChase, 2 ranks, mem\n      pebbles pointerchase --rounds ")
	require.NotContains(t, out, "Permutation")
}

// TestBenchFails requires that an unwritable file is reported immediately, and a failure with its row.
func TestBenchFails(t *testing.T) {
	row := "an empty epoch, 2 ranks, direct, skr"
	for _, flag := range []string{"--json", "--page"} {
		r := fails(t, 1, []string{"bench", "--quick", flag, "/no/such/folder/file", row},
			"pebbles-lab bench: can't write /no/such/folder/file")
		require.Equal(t, 1, strings.Count(r.Stderr, "\n"), "nothing was measured before: %s", r.Stderr)
	}
	require.Equal(t, 1, pebbles("bench", "--quick", "--plot", "/dev/null/plots", row).Status)
	fails(t, 1, []string{"bench", "--quick", "--limit", "1ns", "-q", row},
		"pebbles-lab bench: "+row+": pebbles epochs ", "not done after the limit of 1ns")
	if _, err := os.Stat("/dev/full"); err == nil {
		r := pebbles("bench", "--quick", "--repeats", "1", "--warm-up", "0", "-q", "--json", "/dev/full", row)
		require.Equal(t, 1, r.Status)
		require.Contains(t, r.Stderr, "no space left on device")
	}
}

// saved writes results of one row to a file.
func saved(t *testing.T, name string, values ...float64) string {
	r := lab.Result{Case: lab.Case{Name: name, Unit: "M/s", Line: "pebbles x"}}
	for _, v := range values {
		r.Samples = append(r.Samples, lab.Sample{Value: v, State: lab.Near})
	}
	file := filepath.Join(t.TempDir(), "r.json")
	require.NoError(t, lab.Results{Format: lab.Format, Groups: []lab.GroupResult{
		{Name: "G", Results: []*lab.Result{&r}}}}.Write(file))
	return file
}

func TestBenchCompare(t *testing.T) {
	old, slow := saved(t, "a", 100, 101, 102, 103, 104), saved(t, "a", 80, 81, 82, 83, 84)
	r := pebbles("bench", "compare", old, slow)
	require.Equal(t, 1, r.Status)
	require.Contains(t, r.Stdout, "-19.6%")
	require.Contains(t, r.Stdout, "SLOWER")
	require.Equal(t, "pebbles-lab bench compare: of 1 cases 1 slower\n", r.Stderr)
	require.Contains(t, succeeds(t, "bench", "compare", slow, old), "faster")
	require.NotContains(t, succeeds(t, "bench", "compare", "--threshold", "20%", old, slow), "SLOWER")
	fails(t, 1, []string{"bench", "compare", old, saved(t, "b", 1, 2, 3, 4)}, "no case in common")
	fails(t, 1, []string{"bench", "compare", old, "/no/such/file.json"}, "no such file")
}

// TestBenchInterrupted requires that an interrupt ends the measurement and the current run immediately.
func TestBenchInterrupted(t *testing.T) {
	c := exec.Command(binary, "bench", "--repeats", "1000", "an empty epoch, 2 processes over TCP, skr")
	var stdout bytes.Buffer
	c.Stdout = &stdout
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = stderr.Read(make([]byte, 1)) // a run has ended, so the next is in progress
	require.NoError(t, err)
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	text, ended := new(bytes.Buffer), make(chan error, 1)
	go func() {
		_, _ = text.ReadFrom(stderr)
		ended <- c.Wait()
	}()
	select {
	case err = <-ended:
	case <-time.After(commandtest.Limit):
		_ = c.Process.Kill()
		t.Fatal("it does not end")
	}
	require.Error(t, err)
	require.Equal(t, 130, c.ProcessState.ExitCode(), text.String())
	require.Contains(t, text.String(), "ended by signal 2")
	require.Empty(t, stdout.String())
}
