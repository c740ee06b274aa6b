package netiotest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Member is a process that a test has started: its own program again, with variables that tell it so.
type Member struct {
	Command *exec.Cmd
	Input   io.Writer // ends with the test
	lines   *bufio.Scanner
}

// Start starts a process with variables such as NAME=value. It is killed when the test ends.
func Start(t testing.TB, variables ...string) *Member {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), variables...)
	c.Stderr = os.Stderr
	input, err := c.StdinPipe()
	require.NoError(t, err)
	output, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return &Member{c, input, bufio.NewScanner(output)}
}

// Line returns the rest of the next line that the process has written, which must begin with a word.
func (m *Member) Line(t testing.TB, word string) string {
	t.Helper()
	require.True(t, m.lines.Scan(), "no line %s: %v", word, m.lines.Err())
	rest, ok := strings.CutPrefix(m.lines.Text(), word)
	require.True(t, ok, "%q, not %s", m.lines.Text(), word)
	return strings.TrimSpace(rest)
}
