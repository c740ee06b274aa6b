package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// idle returns a job with processes that run until they are ended.
func idle(t *testing.T, processes int) *job {
	t.Helper()
	return jobOf(t, Spec{
		Processes: processes, Program: []string{"sleep", "1000"}, Stdout: os.Stderr, Stderr: os.Stderr,
	})
}

// jobOf returns a job before the start of its first process.
func jobOf(t *testing.T, s Spec) *job {
	t.Helper()
	s, err := s.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	return j
}

// requireEnded checks that a job has ended, and the number of its processes that were ever started.
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

// A signal ends the job while some processes have not been started: it never reaches those.
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

// TestEventsComeBetweenStarts ends a job before its first process. Each turn of the loop takes an event or starts one
// process, so hardly any process starts.
func TestEventsComeBetweenStarts(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	j := idle(t, 100)
	j.supervise(ctx)
	require.EqualError(t, requireEnded(t, j, func(n int) bool { return n < 100 }), "job was ended: enough")
}

// TestStartLimitHoldsWhileProcessesAreStarted sets a limit that passes long before all processes are started.
func TestStartLimitHoldsWhileProcessesAreStarted(t *testing.T) {
	j := idle(t, 100)
	j.spec.StartLimit = 1
	j.supervise(context.Background())
	require.ErrorContains(t, requireEnded(t, j, func(n int) bool { return n < 100 }),
		"not all processes have joined within 1ns")
}

// TestHostsStartInTurn has more hosts than logins at a time: each host has one ssh for all of its processes.
func TestHostsStartInTurn(t *testing.T) {
	s := Spec{Processes: 80, Bind: "127.0.0.1", SSH: []string{"sh", "-c", "exec sleep 1000"},
		Program: []string{"sleep"}}
	for i := range loginsAtOnce + 8 {
		s.Hosts = append(s.Hosts, fmt.Sprint("h", i))
	}
	j := jobOf(t, s)
	for p := j.startable(); p != nil; p = j.startable() {
		j.start(p)
	}
	require.Equal(t, []int{loginsAtOnce, 8}, []int{j.attached, len(j.waiting)})
	j.fail(errors.New("enough"))
	j.kill()
	j.supervise(context.Background())
	require.EqualError(t, requireEnded(t, j, func(n int) bool { return n == 2*loginsAtOnce }), "enough")
}

// TestProcessThatStopsAtTheEndIsNamed stops a process when the others have ended in order. Only the launcher, with a
// faster clock here, or the agent on another host detects that.
func TestProcessThatStopsAtTheEndIsNamed(t *testing.T) {
	t.Parallel() // it waits for limits
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
		j := jobOf(t, s)
		for range 2 {
			j.start(j.startable())
			if c.shell != "" {
				j.handleLogin(<-j.logins)
			}
		}
		event := func(limit <-chan time.Time) {
			select {
			case p := <-j.exits:
				j.handleExit(p)
			case h := <-j.heard:
				h.handle(j)
			case a := <-j.gone:
				a.end(j)
			case <-limit:
			}
		}
		for len(j.order) == 0 {
			event(nil)
		}
		require.Equal(t, running, j.stage)
		now := time.Now()
		for looks := 0; j.stage == running && looks < 10_000; looks++ {
			j.checkStopped(now)
			now = now.Add(stopCheckInterval)
			event(time.After(time.Millisecond))
		}
		j.kill()
		j.supervise(t.Context())
		require.ErrorContains(t, requireEnded(t, j, func(n int) bool { return n == 2 }), c.says)
		require.Contains(t, printed.String(), c.prints)
	}
}

// A job with unstarted processes has failed if nothing is left that could start them.
func TestWhoWaitsForEverIsTold(t *testing.T) {
	j := idle(t, 3)
	j.waiting = j.waiting[1:]
	j.pausing = 1
	r, err := j.finish()
	require.ErrorContains(t, err, "3 of 3 processes were not started")
	require.NotZero(t, r.Status)
}

// After each try of an ssh, all counts of the queue are as before.
func TestTriesLeaveNothing(t *testing.T) {
	j := jobOf(t, Spec{Processes: 1, Hosts: []string{"a"}, Bind: "127.0.0.1", Program: []string{"true"},
		SSH: []string{"sh", "-c", "echo 'ssh: connect to host a port 22: Connection refused' >&2; exit 255"}})
	for range 3 {
		j.start(j.startable())
		(<-j.gone).end(j)
		require.Equal(t, 1, j.pausing)
		require.Zero(t, j.dialling, "ssh that have not reached their host")
		require.Zero(t, j.alive())
		j.requeue(<-j.paused)
	}
	_, err := j.finish()
	require.ErrorContains(t, err, "1 of 1 processes were not started")
}

// A job that exceeds this machine is refused in one sentence that states its needs.
func TestImpossibleJobsAreRefused(t *testing.T) {
	small := host{memory: 1 << 30, files: 1024}
	require.NoError(t, (&Spec{Processes: 100, Ranks: 1000}).checkFits(small))
	for _, c := range []struct {
		processes, ranks int
		says             string
	}{
		{10_000, 10_000, "10000 processes need 40032 open files in their launcher, and 1024 are allowed: start fewer, or " +
			"raise the limit (ulimit -n)"},
		{200, 200, "200 processes need at least 1.56 GiB of memory, and 1 GiB are available: start fewer, or use more hosts"},
		{2, 1_000_000, "1000000 ranks need at least 61 GiB of memory, and 1 GiB are available: use fewer, or more hosts"},
	} {
		require.EqualError(t, (&Spec{Processes: c.processes, Ranks: c.ranks}).checkFits(small), c.says)
	}
	elsewhere := Spec{Processes: 200, Ranks: 1_000_000, Hosts: []string{"a", "b"}}
	require.NoError(t, elsewhere.checkFits(small), "other hosts have memory of their own")
	require.NoError(t, (&Spec{Processes: 1 << 15, Ranks: 1 << 15}).checkFits(host{memory: 1 << 40}),
		"no limit of files is known")
}

// Run refuses such a job before it starts any process.
func TestImpossibleJobsAreNotStarted(t *testing.T) {
	_, err := Run(t.Context(), Spec{Processes: processesMax, Ranks: 1 << 24, Program: []string{"/bin/true"}})
	require.ErrorContains(t, err, "65536 processes need")
}

func TestOversubscription(t *testing.T) {
	t.Setenv(varThreads, "") // restores it
	os.Unsetenv(varThreads)
	least := oversubscribedMin * runtime.NumCPU()
	few, many := &Spec{Processes: least - 1}, &Spec{Processes: least}
	require.Empty(t, few.oversubscribed())
	require.Equal(t, []string{"GOMAXPROCS=1"}, many.oversubscribed())
	many.Env = []string{"GOMAXPROCS=2"}
	require.Empty(t, many.oversubscribed(), "the user's word counts")
	many.Env = nil
	t.Setenv(varThreads, "8")
	require.Empty(t, many.oversubscribed())
}
