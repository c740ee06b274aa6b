package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/tune"
)

// A program of the user's is tuned in all that neither its command line nor its targets say.
func TestTuneAProgram(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "flags")
	build := exec.Command("go", "build", "-o", program, "./examples/flags")
	build.Dir = filepath.Join("..", "..")
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))

	file := filepath.Join(folder, "profile.json")
	text := succeeds(t, "tune", "-q", "--runs", "8", "--out", file, "--", program, "-ranks", "4", "-numbers=2000", "-topology", "ring")
	require.Contains(t, text, "run it as  "+program+" -ranks 4 -numbers=2000 -topology ring -coalesce=")
	require.NotContains(t, text, "-cache=", "the program has no reduction")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	p, err := tune.DecodeProfile(written)
	require.NoError(t, err)
	require.Equal(t, tune.For{App: program + " -ranks 4 -numbers=2000 -topology ring", Ranks: 4, Processes: 1, Transport: "mem",
		Machine: p.For.Machine}, p.For)
	require.Equal(t, tune.Setting{Topology: "ring", Coalesce: 1024}, p.Start)
	for _, d := range p.Decisions {
		require.NotContains(t, d.Reason, "topology")
	}

	// In a simulated world times are exact, so the choice is the same each time.
	simulated := []string{"tune", "-q", "--runs", "6", "--", program, "-ranks", "16", "-numbers", "200", "-network", "odin"}
	text = succeeds(t, simulated...)
	require.Contains(t, text, "-network odin -topology=")
	require.Equal(t, chosen(text), chosen(succeeds(t, simulated...)))

	for _, c := range []struct {
		line   []string
		status int
		says   string
	}{
		{[]string{"--", "/bin/echo"}, 1, "which must take its flags from pebble.Flags and print what pebble.Measure reports: /bin/echo"},
		{[]string{"--", filepath.Join(folder, "none")}, 1, "no such file"},
		{[]string{"--", program, "-coalesce=0"}, 1, "must be a whole number, 1 or more"},
		{[]string{"--"}, 2, "use one of"},
	} {
		r := pebbles(t, append([]string{"tune", "-q", "--runs", "2"}, c.line...)...)
		require.Equal(t, c.status, r.status, r.stderr)
		require.Contains(t, r.stderr, c.says)
	}
}

// chosen is what tune says to run.
func chosen(text string) string {
	_, line, _ := strings.Cut(text, "run it as")
	return line
}
