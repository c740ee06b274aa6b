package netiotest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Member is a process that a test has started: its own program again, with variables that mark it.
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

// Line returns the rest of the next line of the process's output, which must begin with a word.
func (m *Member) Line(t testing.TB, word string) string {
	t.Helper()
	require.True(t, m.lines.Scan(), "no line %s: %v", word, m.lines.Err())
	rest, ok := strings.CutPrefix(m.lines.Text(), word)
	require.True(t, ok, "%q, not %s", m.lines.Text(), word)
	return strings.TrimSpace(rest)
}

// Join lets a started process meet the others of its job, which have one rank each. It writes the process's address,
// reads all addresses, and returns the configuration for Dial. The process ends when its input ends, since the test
// that has started it may be gone.
func Join(process, members int) (c tcp.Config, err error) {
	listener, err := tcp.Listen("")
	if err != nil {
		return c, err
	}
	fmt.Println("address", listener.Addr())
	addresses := make([]string, members)
	for i := range addresses {
		if _, err := fmt.Scanln(&addresses[i]); err != nil {
			return c, err
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	return tcp.Config{
		Job: "test", Secret: Secret(1), Place: netio.PlaceOf(members, members, process),
		Listener: listener, Addresses: addresses,
		Identity: Identity(),
	}, nil
}

// KillOne lets started processes meet, kills one of them when all have written "flows", and returns when each other one
// has then written "ended", with an error that names the lost process.
func KillOne(t testing.TB, all []*Member, victim int) (took []time.Duration) {
	t.Helper()
	var addresses []string
	for _, m := range all {
		addresses = append(addresses, m.Line(t, "address"))
	}
	for _, m := range all {
		fmt.Fprintln(m.Input, strings.Join(addresses, "\n"))
	}
	for _, m := range all {
		require.Empty(t, m.Line(t, "flows"))
	}
	began := time.Now()
	require.NoError(t, all[victim].Command.Process.Kill())
	for i, m := range all {
		if i != victim {
			require.Contains(t, m.Line(t, "ended"), fmt.Sprintf("lost process %d (rank %d)", victim, victim))
			took = append(took, time.Since(began))
			require.NoError(t, m.Command.Wait())
		}
	}
	return took
}
