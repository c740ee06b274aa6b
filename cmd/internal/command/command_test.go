package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/sim"
)

const limit = commandtest.Limit

// run runs the command pebbles in this process.
var run commandtest.Program = func(stdout, stderr io.Writer, args ...string) int {
	return Execute(New(Pebbles(), Terminal{Args: args, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr}))
}

func TestMain(m *testing.M) {
	commandtest.Main(m, func() { kill(); Main(Pebbles()) }, map[string]func(){"program": program})
}

// binary is the command as a program: this test binary.
var binary, _ = os.Executable()

type ran = commandtest.Ran

var (
	pebbles  = run.Run // in this process
	succeeds = run.Succeeds
	object   = run.Object
	fails    = run.Fails
	with     = commandtest.With
)

// process runs the command as a process with an extended environment.
func process(t *testing.T, environment []string, args ...string) ran {
	t.Helper()
	return commandtest.Process(t, environment, binary, args...)
}

// The contents of testdata/applications.txt, by application.
var (
	small  = map[string][]string{} // command lines of a few milliseconds
	depths = map[string]int{}      // declared depths of the kernels
	own    = map[string][]string{} // fields of only this application
)

func init() {
	for _, row := range rows("applications") {
		line := strings.Fields(row[0])
		app := line[0]
		small[app], own[app] = line, strings.Fields(row[2])
		depths[app], _ = strconv.Atoi(row[1])
	}
}

// rows returns the lines of a file of testdata, without comments, split at bars.
func rows(name string) (all [][]string) {
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		return nil // for a copy of the test that is a program in another folder
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
			all = append(all, strings.Split(line, " | "))
		}
	}
	return all
}

// each calls do for every visible command.
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
	each(New(Pebbles(), Terminal{}), func(c *cobra.Command) {
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
			root := New(Pebbles(), Terminal{
				Args: strings.Fields(line)[1:], Stdout: &stdout, Stderr: &stderr,
				Begin: func(*Job) error { return &Failure{99, started} },
			})
			switch status := Execute(root); {
			case stdout.Len() > 0:
				require.Zero(t, status, stderr.String())
			default:
				require.Equal(t, 99, status, stderr.String())
			}
		})
	}
}

func TestHelp(t *testing.T) {
	each(New(Pebbles(), Terminal{}), func(c *cobra.Command) {
		line := append(strings.Fields(c.CommandPath())[1:], "--help")
		require.Contains(t, succeeds(t, line...), "Usage:\n  "+c.CommandPath())
	})
	require.Contains(t, succeeds(t), "randomaccess", "without a word there is help")
	require.True(t, strings.HasPrefix(succeeds(t, "version"), "pebbles "))
	require.Equal(t, succeeds(t, "version"), succeeds(t, "--version"))
}

// TestOnlyWhatIsCalledIsMade requires that a process that runs one command does not make the flags of all.
func TestOnlyWhatIsCalledIsMade(t *testing.T) {
	names := func(c *cobra.Command) (all []string) {
		for _, sub := range c.Commands() {
			all = append(all, sub.Name())
		}
		return all
	}
	for _, c := range New(Pebbles(), Terminal{}).Commands() {
		if c.Name() != "completion" { // cobra's own
			made := names(New(Pebbles(), Terminal{Args: []string{c.Name()}}))
			require.ElementsMatch(t, []string{"completion", c.Name()}, made)
		}
	}
	for _, m := range applications() {
		require.Equal(t, []string{m.Name}, names(newSim(Terminal{Args: []string{"sim", m.Name}})))
	}
	require.Len(t, names(newSim(Terminal{Args: []string{"sim", "--ranks", "bfs"}})), len(applications()))
}

// TestDefaults requires that each flag has the default that its help states.
func TestDefaults(t *testing.T) {
	require.Len(t, small, 24)
	for app := range small {
		var taken *Job
		root := New(Pebbles(), Terminal{Args: small[app], Stdout: os.Stdout, Stderr: os.Stderr, Begin: func(j *Job) error {
			taken = j
			return nil
		}})
		require.Zero(t, Execute(root))
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
		require.False(t, taken.settings.spread.Several())
	}
}

// TestCompletion requests completions like a shell.
func TestCompletion(t *testing.T) {
	offers := rows("completions")
	require.Greater(t, len(offers), 20)
	offers = append(offers, []string{"tune --parameters", strings.Join(model.Names(), " ")},
		[]string{"sim epochs --network", strings.Join(sim.Names(), " ") + " fitted"})
	for _, row := range offers {
		line, want := row[0], row[1]
		out := pebbles(with([]string{"__complete"}, with(strings.Fields(line), "")...)...).Stdout
		words, _, _ := strings.Cut(out, "\n:")
		require.Equal(t, want, strings.Join(strings.Fields(words), " "))
	}
	require.Contains(t, run.Complete("tune", "bfs", "--kron"), "--kronecker")
	require.Contains(t, run.Complete("tune", "b"), "bfs")
	for _, command := range []string{"tune", "sim", "run", "k8s"} {
		require.Contains(t, run.Complete(command[:2]), command)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, succeeds(t, "completion", shell), "pebbles")
	}
}
