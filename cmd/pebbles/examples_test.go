package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/termination"
)

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
		require.Equal(t, 1024, c.Coalesce)
		require.Zero(t, c.Cache)
		require.Zero(t, c.MemoryLimit)
		require.EqualValues(t, 1e6, c.Due)
		require.Equal(t, "direct", c.Topology(2).Name())
		require.Zero(t, c.Credits, "which lets each target choose")
		require.LessOrEqual(t, c.Period, time.Duration(0))
		for _, depth := range []int{0, 1, 4} {
			site := termination.Site{Ranks: 8, Depth: depth, Hops: 1, Topology: c.Topology(8)}
			want, err := termination.Auto(site)
			require.NoError(t, err)
			got, err := c.Termination(site)
			require.NoError(t, err)
			require.Equal(t, want.Name(), got.Name())
		}
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
		"nbody --model":                "plummer king collision",
		"nbody --walk":                 "asks tasks",
		"bfs --format":                 "auto edgelist pace matrixmarket metis",
		"randomaccess --log-format":    "text json",
		"randomaccess --coalesce":      "auto",
		"randomaccess --cache":         "auto",
		"randomaccess --due":           "never",
		"tune":                         "alltoall bfs centrality contagion epochs nbody permutation ping pointerchase randomaccess reduce sssp uts",
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
