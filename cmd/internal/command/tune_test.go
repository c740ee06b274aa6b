package command

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/tune"
)

// TestTuneAndProfile requires that a command line uses the profile that tune has written for it, with the same setting.
func TestTuneAndProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile.json")
	for _, line := range [][]string{
		{"alltoall", "--ranks", "4", "--rounds", "100", "--seed", "3"},
		{"randomaccess", "--log2-words", "10", "--ranks", "4", "--procs", "2", "--transport", "tcp"},
	} {
		r := pebbles(append([]string{"tune", "--runs", "26", "--parameters", "odin", "--out", file}, line...)...)
		require.Zero(t, r.Status, r.Stderr)
		require.Contains(t, r.Stdout, "chosen")
		require.Contains(t, r.Stdout, file)
		require.Contains(t, r.Stderr, "2/26 runs, ")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := tune.DecodeProfile(text)
		require.NoError(t, err)
		require.Equal(t, 4, p.For.Ranks)
		require.Contains(t, p.For.App, line[0])
		p.Setting = tune.Setting{Topology: "mesh:2", Coalesce: 37}
		text, err = p.Encode()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o644))
		report := reported(t, with(line, "--profile", file)...)
		require.Equal(t, "mesh:2", report.Topology)
		require.Equal(t, 37, report.Coalesce)
		report = reported(t, with(line, "--profile", file, "--topology", "direct")...)
		require.Equal(t, "direct", report.Topology, "a flag says otherwise")
		require.Equal(t, 37, report.Coalesce)
		other := with(line, "--profile", file, "--ranks", "5")
		fails(t, 2, other, "for ranks 4, and the job has 5: run pebbles tune")
	}
}

func reported(t *testing.T, line ...string) apps.Report {
	t.Helper()
	return commandtest.Report(t, succeeds(t, with(line, "--json")...))
}

// TestTuneHelp requires that the help of a tuned application is that of tune, with the application's flags.
func TestTuneHelp(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		text := succeeds(t, "tune", "bfs", "--kronecker", "5", flag)
		require.Contains(t, text, "pebbles tune APP [FLAGS]")
		require.Contains(t, text, "--runs")
		require.Contains(t, text, "\nFlags of bfs:\n")
		require.Contains(t, text, "--kronecker")
		require.Contains(t, text, "--coalesce")
	}
}

// TestTuneKeepsFlags requires that settings given by the user are not tuned.
func TestTuneKeepsFlags(t *testing.T) {
	out := filepath.Join(t.TempDir(), "p.json")
	text := succeeds(t, "tune", "--quiet", "--json", "--runs", "40", "--out", out,
		"epochs", "--count", "5", "--ranks", "4", "--topology", "ring", "--coalesce", "8")
	p, err := tune.DecodeProfile([]byte(text))
	require.NoError(t, err)
	require.Equal(t, tune.Setting{Topology: "ring", Coalesce: 8}, p.Setting)
	require.Empty(t, p.Decisions, "there is nothing to choose")
	kept, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, text, string(kept))
}

func TestTuneMistakes(t *testing.T) {
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	require.NoError(t, os.WriteFile(damaged, []byte(`{"format": 7}`), 0o644))
	fails(t, 1, strings.Fields("tune --out /nonexistent/folder/p.json epochs --count 2"), "can't write")
	fails(t, 1, strings.Fields("tune --out "+damaged+" bfs --graph /nonexistent/graph"), "/nonexistent/graph")
	fails(t, 2, []string{"randomaccess", "--profile", damaged}, "damaged.json", "format 7", "pebbles tune")
}

// program is a user's program, which counts numbers.
func program() {
	options := pebble.Flags(flag.CommandLine)
	numbers := flag.Int("numbers", 1, "")
	flag.Parse()
	options.Main(os.Stdout, func(r *pebble.Rank) error { return countNumbers(r, options, *numbers) })
}

func countNumbers(r *pebble.Rank, options *pebble.Options, numbers int) error {
	t := target.New(r, "count", distribution.Hash(r.Size()), target.Key(func(n uint64) uint64 { return n }),
		target.Each(func(uint64) {}))
	report, err := pebble.Measure(r, func() error {
		return r.Epoch(func() error {
			for n := range uint64(numbers) {
				t.Send(n << 32 / uint64(1+r.ID()))
			}
			return nil
		})
	})
	if err != nil || r.ID() != 0 {
		return err
	}
	return options.Print(os.Stdout, report)
}

// TestTuneAProgram tunes a user's program in all settings that neither its command line nor its targets fix.
func TestTuneAProgram(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	commandtest.CopyOfMe(t, program)

	file := filepath.Join(folder, "profile.json")
	text := succeeds(t, "tune", "-q", "--runs", "8", "--out", file, "--", program, "-ranks", "4", "-numbers=2000",
		"-topology", "ring")
	require.Contains(t, text, "run it as  "+program+" -ranks 4 -numbers=2000 -topology ring -coalesce=")
	require.NotContains(t, text, "-cache=", "the program has no reduction")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	p, err := tune.DecodeProfile(written)
	require.NoError(t, err)
	require.Equal(t, tune.For{App: program + " -ranks 4 -numbers=2000 -topology ring", Ranks: 4, Processes: 1,
		Transport: "mem",
		Machine:   p.For.Machine}, p.For)
	require.Equal(t, tune.Setting{Topology: "ring", Coalesce: 1024}, p.Start)
	for _, d := range p.Decisions {
		require.NotContains(t, d.Reason, "topology")
	}

	// In a simulated world times are exact, so each run makes the same choice.
	simulated := []string{
		"tune", "-q", "--runs", "26", "--", program, "-ranks", "16", "-numbers", "200", "-network", "odin",
	}
	text = succeeds(t, simulated...)
	require.Contains(t, text, "-network odin -topology=")
	require.Equal(t, chosen(text), chosen(succeeds(t, simulated...)))

	for _, c := range []struct {
		line   []string
		status int
		says   string
	}{
		{[]string{"--", "/bin/echo"}, 1, "which must take its flags from pebble.Flags and print what pebble.Measure " +
			"reports: /bin/echo"},
		{[]string{"--", filepath.Join(folder, "none")}, 1, "no such file"},
		{[]string{"--", program, "-coalesce=0"}, 1, "must be a whole number, 1 or more"},
		{[]string{"--"}, 2, "use one of"},
	} {
		fails(t, c.status, with([]string{"tune", "-q", "--runs", "2"}, c.line...), c.says)
	}
}

// chosen returns the command that tune recommends.
func chosen(text string) string {
	_, line, _ := strings.Cut(text, "run it as")
	return line
}
