package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/launch"
	"github.com/activepebbles/pebbles/pebble"
)

// roleVariable makes the test binary play one of the programs below instead of running tests.
const roleVariable = "PEBBLE_TEST_ROLE"

// roles are programs as users write them: a rank's function under pebble.Main.
var roles = map[string]func(r *pebble.Rank) error{
	"well": func(r *pebble.Rank) error { return r.Barrier() },
	"panic": func(r *pebble.Rank) error {
		hit := byRank(r, "hit", explode)
		return r.Epoch(func() error {
			if r.ID() == 0 {
				hit.Send(uint64(r.Size() - 1))
			}
			return nil
		})
	},
	"error": func(r *pebble.Rank) error {
		if r.ID() == 1 {
			return errors.New("rank 1 has had enough")
		}
		return r.Barrier()
	},
	"register": func(r *pebble.Rank) error {
		byRank(r, []string{"one", "another"}[r.ID()%2], func(uint64) {})
		return r.Epoch(func() error { return nil })
	},
}

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		pebble.Main(pebble.Config{}, role)
	}
	goleak.VerifyTestMain(m)
}

// play runs a role as a job of processes, and returns the status and what the processes said on standard error.
func play(t *testing.T, role string, processes, ranks int) (status int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	result, err := launch.Run(ctx, launch.Spec{
		Processes: processes, Ranks: ranks, Program: []string{os.Args[0]},
		Env: []string{roleVariable + "=" + role}, Stdout: &stderr, Stderr: &stderr, Prefix: true,
	})
	if err == nil {
		require.Zero(t, result.Status)
	}
	return result.Status, stderr.String()
}

func TestProcesses(t *testing.T) {
	status, said := play(t, "well", 3, 5)
	require.Zero(t, status, said)
	require.Empty(t, said)
}

// The rank that panicked tells its stack; the processes that end because of it say nothing.
func TestPanicAcrossProcesses(t *testing.T) {
	status, said := play(t, "panic", 3, 3)
	require.Equal(t, launch.ExitPanic, status, said)
	require.True(t, strings.HasPrefix(said, "[2] rank 2 panicked: exploded with 2\n"), said)
	require.Contains(t, said, "pebble_test.explode(")
	for line := range strings.Lines(said) {
		require.True(t, strings.HasPrefix(line, "[2]"), "a follower spoke: %s", line)
	}
}

func TestErrorAcrossProcesses(t *testing.T) {
	status, said := play(t, "error", 3, 3)
	require.Equal(t, launch.ExitError, status)
	require.Equal(t, "[1] rank 1: rank 1 has had enough\n", said)
}

func TestRegistrationsAcrossProcesses(t *testing.T) {
	status, said := play(t, "register", 2, 2)
	require.Equal(t, launch.ExitError, status)
	require.Contains(t, said, `register target "one": rank 0 registers target "one"`)
}

func TestTell(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, 0, ""},
		{errors.New("no luck"), 1, "no luck\n"},
		{&pebble.PanicError{Rank: 3, Value: "ouch", Stack: []byte("where\n")}, 2, "rank 3 panicked: ouch\n\nwhere\n"},
		{&netio.AbortError{Process: 1, Reason: "something"}, 75, ""},
		{&netio.LostError{Process: 1, First: 2, Last: 3, Cause: errors.New("silence")}, 75, "lost process 1 (rank 2): silence\n"},
		{launch.ErrLauncherGone, 75, "launcher is gone\n"},
	} {
		var b bytes.Buffer
		require.Equal(t, c.status, pebble.Tell(&b, c.err))
		require.Equal(t, c.said, b.String())
	}
}
