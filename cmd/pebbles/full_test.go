package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOutputThatCannotBeWritten has all ways in which a command prints, onto a disk that is full.
func TestOutputThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	for _, line := range []string{
		"", "--help", "--version", "version", "help bfs", "bfs --help", "tune --help", "tune randomaccess --help", "completion bash", "completion --help",
		"__complete bfs --", "bench --list", "model --parameters odin", "model --parameters odin --json",
		"epochs --count 2", "epochs --count 2 --json", "epochs --count 2 --procs 2", "epochs --count 2 --explain",
		"epochs --count 2 --explain --json", "epochs --count 2 --procs 2 --explain",
		"sim epochs --count 2 --ranks 2 -q", "sim epochs --count 2 -q --sweep ranks=2,3", "sim epochs --count 2 -q --json --sweep ranks=2,3",
		"sim --fuzz --worlds 1 -q", "limit switch --rounds 1",
		"k8s --name a --image b -n 2", "k8s --dockerfile .",
		"run -n 1 -- " + binary + " version", "run -n 2 -- echo lost", "run -n 2 --prefix -- echo lost", "run -n 2 --no-prefix -- echo lost",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			status, stderr := intoFull(t, strings.Fields(line)...)
			require.Equal(t, 1, status, stderr)
			require.Contains(t, stderr, "no space left on device")
			require.NotContains(t, stderr, "--help'", "it is no mistake on the command line")
			require.LessOrEqual(t, strings.Count(stderr, "no space left"), 2, "told by the program, and by what has started it, at most")
		})
	}
}

// TestFilesThatCannotBeWritten has the files that commands make beside their output.
func TestFilesThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	for _, line := range []string{
		"sim epochs --count 2 --ranks 2 -q --trace /dev/full", "tune -q --runs 1 --out /dev/full epochs --count 2",
		"model --parameters odin --sweep ranks=4,8 --plot /dev/full", "sim epochs --count 2 -q --sweep ranks=2,3 --plot /dev/full",
		"bench -q --quick --repeats 1 --warm-up 0 --json /dev/full limit-switch,.between",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			r := pebbles(t, strings.Fields(line)...)
			require.Equal(t, 1, r.status, r.stderr)
			require.Contains(t, r.stderr, "/dev/full")
		})
	}
}

// intoFull runs the command with its standard output on a disk that is full.
func intoFull(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	var text bytes.Buffer
	c.Stdout, c.Stderr = full, &text
	err = c.Run()
	require.NoError(t, ctx.Err(), "pebbles %s does not end\n%s", strings.Join(args, " "), text.String())
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode(), text.String()
}

type broken struct{ left int }

func (b *broken) Write(text []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("it broke")
	}
	return len(text), nil
}

// The first error is kept, also when later writes succeed.
func TestChecked(t *testing.T) {
	b := &broken{1}
	c := &checked{to: b}
	_, err := io.WriteString(c, "good")
	require.NoError(t, err)
	require.NoError(t, c.err)
	_, err = io.WriteString(c, "lost")
	require.EqualError(t, err, "it broke")
	b.left = 1
	_, err = io.WriteString(c, "good")
	require.NoError(t, err)
	require.EqualError(t, c.err, "it broke")
	require.Same(t, b, unchecked(&checked{to: c}))
}
