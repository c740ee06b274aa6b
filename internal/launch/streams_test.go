package launch_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, s := range []launch.Spec{{}, {First: true}, {Prefix: true}, {Processes: 2, Prefix: true},
		{Processes: 2, First: true, Prefix: true}} {
		s.Processes = max(1, s.Processes)
		s.Ranks = s.Processes
		s.Program = []string{"sh", "-c", `test "$PEBBLES_PROCESS" != 0 || echo lost`}
		s.Stdout, s.Stderr = unwritable{}, unwritable{}
		result, err := launch.Run(context.Background(), s)
		require.ErrorContains(t, err, "forward the output of process 0 (rank 0): no space left")
		require.Equal(t, launch.ExitError, result.Status)
	}
}

func TestFailureOfAProcessSaysMoreThanItsOutput(t *testing.T) {
	s := launch.Spec{Processes: 1, Program: []string{"sh", "-c", "echo lost; exit 7"}, Stdout: unwritable{}}
	result, err := launch.Run(context.Background(), s)
	require.ErrorContains(t, err, "ended with status 7")
	require.Equal(t, 7, result.Status)
}

func TestStreams(t *testing.T) {
	const script = `case $PEBBLES_PROCESS in 0) printf '\001\nzero';; *) echo other;; esac; echo err >&2`
	for _, c := range []struct {
		launch.Spec
		stdout, stderr string // lines in any order
	}{
		{launch.Spec{Processes: 1, First: true}, "\x01\nzero", "err\n"},
		{launch.Spec{Processes: 1}, "\x01\nzero", "err\n"},
		{launch.Spec{Processes: 1, Ranks: 1, Prefix: true}, "[0] \x01\n[0] zero\n", "[0] err\n"},
		{launch.Spec{Processes: 2, Ranks: 2, First: true, Prefix: true}, "\x01\nzero", "[0] err\n[1] err\n[1] other\n"},
		{launch.Spec{Processes: 2, Ranks: 2, First: true}, "\x01\nzero", "err\nerr\nother\n"},
		{launch.Spec{Processes: 2}, "\x01\nother\nzero\n", "err\nerr\n"},
		{launch.Spec{Processes: 2, Ranks: 4, Prefix: true}, "[0-1] \x01\n[0-1] zero\n[2-3] other\n",
			"[0-1] err\n[2-3] err\n"},
	} {
		var stdout, stderr bytes.Buffer
		c.Program, c.Stdout, c.Stderr = []string{"sh", "-c", script}, &stdout, &stderr
		_, err := launch.Run(context.Background(), c.Spec)
		require.NoError(t, err)
		require.ElementsMatch(t, strings.SplitAfter(c.stdout, "\n"), strings.SplitAfter(stdout.String(), "\n"))
		require.ElementsMatch(t, strings.SplitAfter(c.stderr, "\n"), strings.SplitAfter(stderr.String(), "\n"))
	}
}
