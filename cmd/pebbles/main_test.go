package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
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
	"pagerank":     {"pagerank", "--kronecker", "8"},
	"components":   {"components", "--kronecker", "8"},
	"triangles":    {"triangles", "--kronecker", "8"},
	"jaccard":      {"jaccard", "--kronecker", "8"},
	"kcore":        {"kcore", "--kronecker", "8"},
	"alltoall":     {"alltoall", "--rounds", "100"},
	"reduce":       {"reduce", "--items", "1000", "--keys", "3"},
	"uts":          {"uts", "--depth", "5"},
	"ping":         {"ping", "--messages", "1000"},
	"contagion":    {"contagion", "--people", "300", "--days", "4"},
	"nbody":        {"nbody", "--particles", "300", "--steps", "1", "--sample", "10"},
	"epochs":       {"epochs", "--count", "10", "--pebbles", "2"},
	"words":        {"words", "--bytes", "10000"},
	"kmers":        {"kmers", "--bases", "1000", "--coverage", "2"},
	"sort":         {"sort", "--numbers", "1000"},
	"join":         {"join", "--left", "1000", "--right", "200"},
}

// with adds flags to a command line.
func with(line []string, flags ...string) []string {
	return append(append([]string(nil), line...), flags...)
}

// each calls do for every command that people see.
func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			each(sub, do)
		}
	}
}

// TestExamples runs the command lines of all examples up to the start of their jobs.
func TestExamples(t *testing.T) {
	var lines []string
	each(newCommand(terminal{}), func(c *cobra.Command) {
		if parent := c.Parent(); parent != nil && (c.Name() == "help" || parent.Name() == "completion") {
			return // cobra's own
		}
		require.NotEmpty(t, c.Example, c.CommandPath())
		require.NotEmpty(t, c.Short, c.CommandPath())
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "source <("), ")")
			require.True(t, strings.HasPrefix(line, "pebbles "), line)
			require.True(t, c.Parent() == nil || strings.HasPrefix(line, c.CommandPath()), line)
			lines = append(lines, line)
		}
	})
	require.Greater(t, len(lines), 10)
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			var stdout, stderr strings.Builder
			started := errors.New("started")
			root := newCommand(terminal{
				args: strings.Fields(line)[1:], stdout: &stdout, stderr: &stderr,
				begin: func(*job) error { return &failure{99, started} },
			})
			switch status := execute(root); {
			case stdout.Len() > 0:
				require.Zero(t, status, stderr.String())
			default:
				require.Equal(t, 99, status, stderr.String())
			}
		})
	}
}

func TestHelp(t *testing.T) {
	each(newCommand(terminal{}), func(c *cobra.Command) {
		line := append(strings.Fields(c.CommandPath())[1:], "--help")
		require.Contains(t, succeeds(t, line...), "Usage:\n  "+c.CommandPath())
	})
	require.Contains(t, succeeds(t), "randomaccess", "without a word there is help")
	require.True(t, strings.HasPrefix(succeeds(t, "version"), "pebbles "))
	require.Equal(t, succeeds(t, "version"), succeeds(t, "--version"))
}

// TestOnlyWhatIsCalledIsMade: a process that runs one command doesn't make the flags of all.
func TestOnlyWhatIsCalledIsMade(t *testing.T) {
	names := func(c *cobra.Command) (all []string) {
		for _, sub := range c.Commands() {
			all = append(all, sub.Name())
		}
		return all
	}
	for _, c := range newCommand(terminal{}).Commands() {
		if c.Name() != "completion" { // cobra's own
			made := names(newCommand(terminal{args: []string{c.Name()}}))
			require.ElementsMatch(t, []string{"completion", c.Name()}, made)
		}
	}
	for _, m := range applications() {
		require.Equal(t, []string{m.name}, names(newSim(terminal{args: []string{"sim", m.name}})))
	}
	require.Len(t, names(newSim(terminal{args: []string{"sim", "--ranks", "bfs"}})), len(applications()))
}

// TestDefaults shows that what a flag says of its default is what it does.
func TestDefaults(t *testing.T) {
	for app := range small {
		var taken *job
		root := newCommand(terminal{args: small[app], stdout: os.Stdout, stderr: os.Stderr, begin: func(j *job) error {
			taken = j
			return nil
		}})
		require.Zero(t, execute(root))
		c, err := taken.settings.config(nil)
		require.NoError(t, err)
		require.Zero(t, c.Coalesce, "which is 1,024, or as many as 128 KiB hold")
		require.Zero(t, c.Cache)
		require.Zero(t, c.MemoryLimit)
		require.EqualValues(t, 1e6, c.Due)
		require.Equal(t, "direct", c.Topology(2).Name())
		require.Zero(t, c.Credits, "which lets each target choose")
		require.LessOrEqual(t, c.Period, time.Duration(0))
		require.Nil(t, c.Termination, "which is termination.Auto")
		require.False(t, taken.settings.spread.several())
	}
}

// TestCompletion asks for words as a shell does.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"bfs --topology":               "direct dynamic:hypercube hypercube mesh:2 mesh:3 ring three-stage tree two-stage auto",
		"bfs --transport":              "mem shm ofi tcp auto",
		"bfs --termination":            "auto nbx ordered pcx pcx-neighbors skr",
		"bfs --mode":                   "level async direction tasks",
		"uts --tree":                   "T1 T2 T3 T4 T5 T1L T2L T3L",
		"uts --mode":                   "tasks pebbles",
		"bfs --order":                  "auto degree given",
		"reduce --kind":                "sum count max distinct concatenate",
		"contagion --send":             "aggregated manual",
		"contagion --contact":          "constant min-max-alpha certain",
		"contagion --spread":           "blocks hilbert cyclic",
		"join --kind":                  "inner left semi anti",
		"nbody --model":                "plummer king collision",
		"nbody --walk":                 "asks tasks",
		"bfs --format":                 "auto edgelist pace matrixmarket metis",
		"randomaccess --log-format":    "text json",
		"randomaccess --coalesce":      "auto",
		"randomaccess --cache":         "auto",
		"randomaccess --due":           "never",
		"tune":                         "alltoall bfs centrality components contagion epochs jaccard join kcore kmers nbody pagerank permutation ping pointerchase randomaccess reduce sort sssp triangles uts words",
		"tune bfs --mode":              "level async direction tasks",
		"tune --runs 9 bfs --topology": "direct dynamic:hypercube hypercube mesh:2 mesh:3 ring three-stage tree two-stage auto",
		"tune --parameters":            strings.Join(model.Names(), " "),
		"model --parameters":           strings.Join(model.Names(), " "),
		"sim epochs --network":         strings.Join(sim.Names(), " ") + " fitted",
		"sim epochs --fabric":          "fat-tree torus dragonfly",
		"model --sweep":                "ranks= topology= coalesce= pebbles= bytes= per-process= per-host= hit= depth= termination=",
	} {
		out := pebbles(t, append([]string{"__complete"}, append(strings.Fields(line), "")...)...).stdout
		words, _, _ := strings.Cut(out, "\n:")
		require.Equal(t, want, strings.Join(strings.Fields(words), " "))
	}
	complete := func(line ...string) []string {
		return strings.Fields(pebbles(t, append([]string{"__complete"}, line...)...).stdout)
	}
	require.Subset(t, complete("sim", "epochs", "--sweep", ""), []string{"ranks=", "topology=", "coalesce=", "count=", ":6"})
	require.NotContains(t, complete("sim", "epochs", "--sweep", ""), "json=")
	require.Contains(t, complete("tune", "bfs", "--kron"), "--kronecker")
	require.Contains(t, complete("tune", "b"), "bfs")
	for _, command := range []string{"tune", "sim", "run", "k8s", "fit", "model"} {
		require.Contains(t, complete(command[:2]), command)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, succeeds(t, "completion", shell), "pebbles")
	}
}
