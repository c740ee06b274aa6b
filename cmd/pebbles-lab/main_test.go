package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/model"
)

// laboratory runs the program in this process.
var laboratory commandtest.Program = func(stdout, stderr io.Writer, args ...string) int {
	return command.Execute(command.New(programOf(nil),
		command.Terminal{Args: args, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr}))
}

func TestMain(m *testing.M) { commandtest.Main(m, main, nil) }

// binary is the program: this test binary.
var binary, _ = os.Executable()

var (
	pebbles  = laboratory.Run
	succeeds = laboratory.Succeeds
	fails    = laboratory.Fails
	with     = commandtest.With
)

// typed runs a command line without spaces within words.
func typed(line string) commandtest.Ran { return pebbles(strings.Fields(line)...) }

// TestExamples runs the command lines of the laboratory's own examples up to the start of their action.
func TestExamples(t *testing.T) {
	lines := 0
	var of func(c *cobra.Command)
	of = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		require.NotEmpty(t, c.Short, c.CommandPath())
		for line := range strings.Lines(c.Example) {
			line, is := strings.CutPrefix(strings.TrimSpace(line), "pebbles-lab ")
			if !is {
				continue
			}
			lines++
			var stdout, stderr strings.Builder
			root := command.New(programOf(nil), command.Terminal{Args: strings.Fields(line), Stdout: &stdout, Stderr: &stderr,
				Begin: func(*command.Job) error { return &command.Failure{Status: 99} }})
			if status := command.Execute(root); stdout.Len() == 0 || status != 0 {
				require.Equal(t, 99, status, "%s: %s", line, stderr.String())
			}
		}
		for _, sub := range c.Commands() {
			of(sub)
		}
	}
	of(command.New(programOf(nil), command.Terminal{}))
	require.Greater(t, lines, 10)
}

// TestProgram requires the applications and tools of pebbles, the program's own commands, and its name.
func TestProgram(t *testing.T) {
	help := succeeds(t)
	for _, name := range []string{"randomaccess", "tune", "bench", "fit", "model", "sim", "doctor"} {
		require.Contains(t, help, "\n  "+name+" ")
		require.Contains(t, succeeds(t, name, "--help"), "Usage:\n  pebbles-lab "+name)
	}
	require.True(t, strings.HasPrefix(succeeds(t, "version"), "pebbles-lab "))
}

func TestCompletion(t *testing.T) {
	complete := laboratory.Complete
	require.Equal(t, append(model.Names(), ":0"), complete("model", "--parameters", ""))
	require.Equal(t, strings.Fields("ranks= topology= coalesce= pebbles= bytes= per-process= per-host= hit= depth= "+
		"termination= :6"),
		complete("model", "--sweep", ""))
	require.Subset(t, complete("sim", "epochs", "--sweep", ""), []string{"ranks=", "topology=", "coalesce=", "count=",
		":6"})
	require.NotContains(t, complete("sim", "epochs", "--sweep", ""), "json=")
	for _, name := range []string{"fit", "model"} {
		require.Contains(t, complete(name[:2]), name)
	}
}

func TestMistakes(t *testing.T) { laboratory.Mistakes(t, "pebbles-lab") }

// TestLimits requires that each command for limits prints one report.
func TestLimits(t *testing.T) {
	for line, says := range map[string]string{
		"updates --log2-words 8": "updates per second", "permutation --log2-elements 8": "elements per second",
		"copy --bytes 4096 --rounds 2": "bytes per second", "switch --rounds 10": "time of a hop",
		"tcp --messages 10 --bytes 64": "bytes per second", "ring --messages 10 --ping-pong": "time of a hop",
	} {
		all := strings.Fields("limit " + line)
		require.Contains(t, succeeds(t, all...), says)
		o := laboratory.Object(t, all...)
		require.Zero(t, o["errors"])
		require.Contains(t, o["app"], strings.Fields(line)[0])
	}
}

// TestOutputThatCannotBeWritten lets commands print onto a full disk in all ways.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, line := range []string{
		"bench --list", "model --parameters odin", "model --parameters odin --json",
		"sim epochs --count 2 -q --sweep ranks=2,3",
		"sim epochs --count 2 -q --json --sweep ranks=2,3", "sim --fuzz --worlds 1 -q", "limit switch --rounds 1",
	} {
		t.Run(line, func(t *testing.T) { laboratory.IntoFull(t, strings.Fields(line)...) })
	}
	for _, line := range []string{ // files beside the output
		"model --parameters odin --sweep ranks=4,8 --plot /dev/full",
		"sim epochs --count 2 -q --sweep ranks=2,3 --plot /dev/full",
		"bench -q --quick --repeats 1 --warm-up 0 --json /dev/full limit-switch,.between",
	} {
		t.Run(line, func(t *testing.T) {
			r := typed(line)
			require.Equal(t, 1, r.Status, r.Stderr)
			require.Contains(t, r.Stderr, "/dev/full")
		})
	}
}
