// Package commandtest runs command lines as users do: most in the test's own process, and as a process of its own where
// that is the subject.
package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
)

// Limit is how long a test waits for a command. None takes near as long, but on a loaded machine.
const Limit = 60 * time.Second

// asCommand is set in the environment of all that a test starts: its binary is then the program, not the test.
const asCommand = "GO_TEST_AS_COMMAND"

// Main is the main function of a test, whose binary is also the program that it tests: a build would take minutes on a
// busy machine. A copy of the binary with one of the other names is that program.
func Main(m *testing.M, program func(), others map[string]func()) {
	if other, ok := others[filepath.Base(os.Args[0])]; ok {
		other()
		return
	}
	if os.Getenv(asCommand) != "" {
		program()
		return
	}
	os.Setenv(asCommand, "1")
	os.Setenv("GOMAXPROCS", "2") // jobs have the ranks of a machine of two cores
	runtime.GOMAXPROCS(2)
	os.Exit(m.Run())
}

// A Program runs a command line in this process, and returns the exit status.
type Program func(stdout, stderr io.Writer, args ...string) (status int)

// Ran is what a user sees of a command.
type Ran struct {
	Stdout, Stderr string
	Status         int
}

// Run runs a command line in this process.
func (p Program) Run(args ...string) Ran {
	var stdout, stderr buffer
	status := p(&stdout, &stderr, args...)
	return Ran{stdout.String(), stderr.String(), status}
}

// Succeeds runs a command line that must work without a word on standard error.
func (p Program) Succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	r := p.Run(args...)
	require.Empty(t, r.Stderr, args)
	require.Zero(t, r.Status, args)
	return r.Stdout
}

// Object runs a command line that must work, with --json, and reads what it prints.
func (p Program) Object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return Object(t, p.Succeeds(t, With(args, "--json")...))
}

// Fails runs a command line that must end with a status, print nothing but errors, and have all words in them.
func (p Program) Fails(t *testing.T, status int, args []string, says ...string) Ran {
	t.Helper()
	r := p.Run(args...)
	require.Equal(t, status, r.Status, "%q\n%s", args, r.Stderr)
	require.Empty(t, r.Stdout, args)
	for _, words := range says {
		require.Contains(t, r.Stderr, words, args)
	}
	return r
}

// Complete asks for words as a shell does.
func (p Program) Complete(line ...string) []string {
	return strings.Fields(p.Run(append([]string{"__complete"}, line...)...).Stdout)
}

// With adds flags to a command line.
func With(line []string, flags ...string) []string { return append(slices.Clone(line), flags...) }

// Mistakes runs the command lines of testdata/mistakes.txt, which must end with the status and the one line of a
// mistake that has all words.
func (p Program) Mistakes(t *testing.T, name string) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	require.NoError(t, err)
	for row := range strings.Lines(string(text)) {
		line, says, ok := strings.Cut(strings.TrimSpace(row), " | ")
		if !ok {
			continue // a comment
		}
		t.Run(line, func(t *testing.T) {
			r := p.Run(strings.Fields(line)...)
			require.Equal(t, 2, r.Status)
			require.Empty(t, r.Stdout)
			require.Equal(t, 1, strings.Count(r.Stderr, "\n"), "one line: %s", r.Stderr)
			require.Regexp(t, `^`+name+`.*; run '`+name+`.* --help'\n$`, r.Stderr)
			for words := range strings.SplitSeq(says, "; ") {
				require.Contains(t, r.Stderr, words)
			}
		})
	}
}

// Process runs a command line as a process, with more in its environment, which is this test's program or another.
func Process(t *testing.T, environment []string, program string, args ...string) Ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), environment...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	require.NoError(t, ctx.Err(), "%s does not end\n%s", strings.Join(args, " "), stderr.String())
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return Ran{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// Object reads standard output that must be one JSON object and nothing else.
func Object(t *testing.T, stdout string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]any
	require.NoError(t, d.Decode(&o), stdout)
	require.False(t, d.More(), stdout)
	return o
}

// Report reads the report of an application, which must have found no errors.
func Report(t *testing.T, stdout string) (r apps.Report) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Zero(t, r.Errors)
	return r
}

// buffer is a stream that several goroutines write to.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(text)
}

// IntoFull runs a command line whose standard output is a disk that is full, and must tell of it.
func (p Program) IntoFull(t *testing.T, args ...string) (said string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	var stderr buffer
	status := p(full, &stderr, args...)
	require.Equal(t, 1, status, stderr.String())
	require.Contains(t, stderr.String(), "no space left on device")
	require.NotContains(t, stderr.String(), "--help'", "it is no mistake on the command line")
	require.LessOrEqual(t, strings.Count(stderr.String(), "no space left"), 2,
		"told by the program, and by what has started it, at most")
	return stderr.String()
}

// CopyOfMe makes a program of this test, which then is what Main says of its name.
func CopyOfMe(t *testing.T, name string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	if os.Link(self, name) == nil {
		return
	}
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, text, 0o700))
}
