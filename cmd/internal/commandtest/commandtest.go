// Package commandtest runs command lines like a user: most within the test's process, and as separate processes where
// these are the subject.
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
	"github.com/activepebbles/pebbles/internal/leaks"
)

// Limit is the time that a test waits for a command. Commands only take that long on a loaded machine.
const Limit = 60 * time.Second

// asCommand is set in the environment of a test's processes: it makes the test binary the program instead of the test.
const asCommand = "GO_TEST_AS_COMMAND"

// Main is the main function of a test whose binary is also the tested program, since a build would take minutes on a
// busy machine. A copy of the binary with one of the other names is the program of that name.
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
	os.Exit(leaks.Temporary(m).Run())
}

// Program runs a command line in this process, and returns the exit status.
type Program func(stdout, stderr io.Writer, args ...string) (status int)

// Ran is the visible result of a command.
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

// Succeeds runs a command line that must succeed without output on standard error.
func (p Program) Succeeds(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	r := p.Run(args...)
	require.Empty(t, r.Stderr, args)
	require.Zero(t, r.Status, args)
	return r.Stdout
}

// Object runs a command line with --json that must succeed, and reads its output.
func (p Program) Object(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return Object(t, p.Succeeds(t, With(args, "--json")...))
}

// Fails runs a command line that must end with the given status, print only errors, and mention all words in them.
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

// Complete requests completions like a shell.
func (p Program) Complete(line ...string) []string {
	return strings.Fields(p.Run(append([]string{"__complete"}, line...)...).Stdout)
}

// With adds flags to a command line.
func With(line []string, flags ...string) []string { return append(slices.Clone(line), flags...) }

// Mistakes runs the command lines of testdata/mistakes.txt. Each must end with the status of a mistake and one line
// that has all words.
func (p Program) Mistakes(t *testing.T, name string) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	require.NoError(t, err)
	for row := range strings.Lines(string(text)) {
		line, says, ok := strings.Cut(strings.TrimSpace(row), " | ")
		if !ok {
			continue // comment
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

// Process runs a command line as a process with an extended environment. The program is this test's or another.
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

// Object reads standard output, which must be exactly one JSON object.
func Object(t *testing.T, stdout string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]any
	require.NoError(t, d.Decode(&o), stdout)
	require.False(t, d.More(), stdout)
	return o
}

// Report reads the report of an application, which must have no errors.
func Report(t *testing.T, stdout string) (r apps.Report) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Zero(t, r.Errors)
	return r
}

// buffer is a stream for several writing goroutines.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(text)
}

// IntoFull runs a command line whose standard output is a full disk. It must report that.
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

// CopyOfMe copies this test's binary to the given name, which selects the program in Main.
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
