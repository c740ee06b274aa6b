package launch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// idle is a job of processes that would never end by themselves.
func idle(t *testing.T, processes int) *job {
	t.Helper()
	s, err := Spec{Processes: processes, Program: []string{"sleep", "1000"}, Stdout: os.Stderr,
		Stderr: os.Stderr}.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	return j
}

// requireEnded checks that a job has ended, and how many of its processes were ever started.
func requireEnded(t *testing.T, j *job, started func(int) bool) error {
	t.Helper()
	r, err := j.finish()
	n := 0
	for _, o := range r.Outcomes {
		if o.Started {
			n++
		}
	}
	require.True(t, started(n), "%d processes were started", n)
	require.Zero(t, j.alive())
	return err
}

// A signal that comes while processes are still to be started ends the job: those would never hear of it.
func TestSignalWhileProcessesAreStarted(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		j := idle(t, 100)
		for range 3 {
			j.start(j.startable())
		}
		j.handleSignal(s, time.Now())
		require.Nil(t, j.startable())
		j.supervise(context.Background())
		err := requireEnded(t, j, func(n int) bool { return n == 3 })
		var signal *SignalError
		require.ErrorAs(t, err, &signal)
		require.Equal(t, s, signal.Signal)
	}
}

// TestEventsComeBetweenStarts ends a job before its first process: each turn of the loop takes an event or starts one
// process, so that hardly any is started.
func TestEventsComeBetweenStarts(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	j := idle(t, 100)
	j.supervise(ctx)
	require.EqualError(t, requireEnded(t, j, func(n int) bool { return n < 100 }), "job was ended: enough")
}

// TestStartLimitHoldsWhileProcessesAreStarted has a limit that has passed long before all are started.
func TestStartLimitHoldsWhileProcessesAreStarted(t *testing.T) {
	j := idle(t, 100)
	j.spec.StartLimit = 1
	j.supervise(context.Background())
	require.ErrorContains(t, requireEnded(t, j, func(n int) bool { return n < 100 }),
		"not all processes have joined within 1ns")
}

// TestHostsStartInTurn counts the processes of a host that have been started and have not joined.
func TestHostsStartInTurn(t *testing.T) {
	s := Spec{Processes: 40, Hosts: []string{"a", "b"}, Bind: "127.0.0.1", SSH: []string{"sh", "-c", "exec sleep 1000"},
		Program: []string{"sleep"}}
	s, err := s.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	for p := j.startable(); p != nil; p = j.startable() {
		j.start(p)
	}
	require.Equal(t, map[string]int{"a": startsAtOnce, "b": startsAtOnce}, j.starting)
	j.fail(errors.New("enough"))
	j.kill()
	j.supervise(context.Background())
	require.EqualError(t, requireEnded(t, j, func(n int) bool { return n == 2*startsAtOnce }), "enough")
}

// TestProcessThatStopsAtTheEndIsNamed has a process stop when the others have ended in order: nobody misses it but the
// launcher, whose clock goes faster here, or the script on another host.
func TestProcessThatStopsAtTheEndIsNamed(t *testing.T) {
	for _, c := range []struct{ shell, says, prints string }{
		{"", "process 1 (rank 1) has been stopped for 2s while others have ended: let it go on by `kill -CONT ", ""},
		{"sh", "process 1 (rank 1, host b) ended with status 137 (signal 9, killed) first",
			"[1] process 1 has been stopped for 2s while others have ended; it is killed now\n"},
		{"bash", "process 1 (rank 1, host b) ended with status 137 (signal 9, killed) first",
			"[1] process 1 has been stopped for 2s while others have ended; it is killed now\n"},
	} {
		if _, err := os.Stat("/proc/self/stat"); err != nil {
			t.Skip("this system does not say which processes are stopped: ", err)
		}
		var printed bytes.Buffer
		s := Spec{
			Processes: 2, Program: []string{"sh", "-c", `[ $PEBBLES_PROCESS = 0 ] || kill -STOP $$`},
			Stdout: &printed, Stderr: &printed, Prefix: true, SilenceLimit: 2 * time.Second,
		}
		if c.shell != "" {
			s.Hosts, s.Bind, s.SSH = []string{"a", "b"}, "127.0.0.1", []string{"sh", "-c", `exec "$0" -c "$2"`, c.shell}
		}
		s, err := s.complete()
		require.NoError(t, err)
		j, err := newJob(&s)
		require.NoError(t, err)
		for range 2 {
			j.start(j.startable())
			if c.shell != "" {
				j.handleLogin(<-j.logins)
			}
		}
		j.handleExit(<-j.exits)
		require.Equal(t, running, j.stage)
		now := time.Now()
		for looks := 0; j.stage == running && looks < 10_000; looks++ {
			j.checkStopped(now)
			now = now.Add(stopCheckInterval)
			select {
			case p := <-j.exits:
				j.handleExit(p)
			case <-time.After(time.Millisecond):
			}
		}
		j.kill()
		j.supervise(t.Context())
		require.ErrorContains(t, requireEnded(t, j, func(n int) bool { return n == 2 }), c.says)
		require.Contains(t, printed.String(), c.prints)
	}
}
