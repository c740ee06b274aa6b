package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// binary is the command, for all tests that run it as a user does: this test itself, under the command's name.
var binary string

// limit is how long a test waits for a command. None takes near as long, but on a loaded machine.
const limit = 60 * time.Second

// TestMain is also the main function of the programs that tests start. A build would take minutes on a busy machine.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "pebbles":
		main()
	case "program":
		program()
	default:
		os.Exit(withBinary(m))
	}
}

func withBinary(m *testing.M) (status int) {
	dir, err := os.MkdirTemp("", "pebbles")
	if err == nil {
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "pebbles")
		err = copyOfMe(binary)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make the command:", err)
		return 1
	}
	os.Setenv("GOMAXPROCS", "2") // for the commands: jobs have the ranks of a machine of two cores
	return m.Run()
}

// copyOfMe makes a program of this test, which then is what TestMain says of its name.
func copyOfMe(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if os.Link(self, name) == nil {
		return nil
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o700)
}

// ran is what a user sees of a command.
type ran struct {
	stdout, stderr string
	status         int
}

// pebbles runs the command and waits for its end.
func pebbles(t *testing.T, args ...string) ran {
	t.Helper()
	return pebblesWith(t, nil, args...)
}

// pebblesWith adds to the environment.
func pebblesWith(t *testing.T, environment []string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	c.Env = append(os.Environ(), environment...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	require.NoError(t, ctx.Err(), "pebbles %s does not end\n%s", strings.Join(args, " "), stderr.String())
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return ran{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// succeeds is pebbles for a command line that must work without a word on standard error.
func succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	r := pebbles(t, args...)
	require.Empty(t, r.stderr)
	require.Zero(t, r.status)
	return r.stdout
}

// small are command lines of all applications that take a few milliseconds.
var small = map[string][]string{
	"randomaccess": {"randomaccess", "--log2-words", "10"},
	"permutation":  {"permutation", "--log2-elements", "10"},
	"pointerchase": {"pointerchase", "--rounds", "10"},
	"bfs":          {"bfs", "--kronecker", "8", "--roots", "3"},
	"sssp":         {"sssp", "--kronecker", "8", "--roots", "3"},
	"centrality":   {"centrality", "--kronecker", "8"},
	"alltoall":     {"alltoall", "--rounds", "100"},
	"reduce":       {"reduce", "--items", "1000", "--keys", "3"},
	"uts":          {"uts", "--depth", "5"},
	"ping":         {"ping", "--messages", "1000"},
	"contagion":    {"contagion", "--people", "300", "--days", "4"},
	"nbody":        {"nbody", "--particles", "300", "--steps", "1", "--sample", "10"},
	"epochs":       {"epochs", "--count", "10", "--pebbles", "2"},
}

// with adds flags to a command line.
func with(line []string, flags ...string) []string {
	return append(append([]string(nil), line...), flags...)
}
