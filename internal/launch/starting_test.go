package launch

import (
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
	s, err := Spec{Processes: processes, Program: []string{"sleep", "1000"}, Stdout: os.Stderr, Stderr: os.Stderr}.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	return j
}

// requireEnded checks that a job has ended, and how many of its processes were ever started.
func requireEnded(t *testing.T, j *job, started func(int) bool) error {
	t.Helper()
	j.hearOut()
	j.rendezvous.close()
	j.output.close()
	r, err := j.result()
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
			j.begin(j.upNext())
		}
		j.forward(s, time.Now())
		require.Nil(t, j.upNext())
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
	require.ErrorContains(t, requireEnded(t, j, func(n int) bool { return n < 100 }), "not all processes have joined within 1ns")
}

// TestHostsStartInTurn counts the processes of a host that have been started and have not joined.
func TestHostsStartInTurn(t *testing.T) {
	s := Spec{Processes: 40, Hosts: []string{"a", "b"}, Bind: "127.0.0.1", SSH: []string{"sh", "-c", "exec sleep 1000"}, Program: []string{"sleep"}}
	s, err := s.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	for p := j.upNext(); p != nil; p = j.upNext() {
		j.begin(p)
	}
	require.Equal(t, map[string]int{"a": startsAtOnce, "b": startsAtOnce}, j.starting)
	j.fail(errors.New("enough"))
	j.kill()
	j.supervise(context.Background())
	require.EqualError(t, requireEnded(t, j, func(n int) bool { return n == 2*startsAtOnce }), "enough")
}
