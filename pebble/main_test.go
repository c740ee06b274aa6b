package pebble_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// roleVariable makes the test binary run one of the programs below instead of tests.
const roleVariable = "PEBBLE_TEST_ROLE"

// roles are programs as users write them: a rank's function under pebble.Main.
var roles = map[string]func(r *pebble.Rank) error{
	"well": func(r *pebble.Rank) error { return r.Barrier() },
	"panic": func(r *pebble.Rank) error {
		hit := byRank(r, "hit", explode)
		return epochOf(0, r, func() { hit.Send(uint64(r.Size() - 1)) })
	},
	"error": func(r *pebble.Rank) error {
		if r.ID() == 1 {
			return errors.New("rank 1 has had enough")
		}
		return r.Barrier()
	},
	"preempted":   untilPreempted,
	"stuck":       stuckInHandler,
	"quit":        quits,
	"collectives": collectivesBySeed,
	"register": func(r *pebble.Rank) error {
		byRank(r, []string{"one", "another"}[r.ID()%2], ignore)
		return idle(r)
	},
}

// untilPreempted runs epochs until rank 0 gets SIGTERM in the middle of one, which then ends like others.
func untilPreempted(r *pebble.Rank) error {
	sent, handled := 0, 0
	count := byRank(r, "count", func(uint64) { handled++ })
	for epoch := 0; ; epoch++ {
		if err := r.Epoch(func() error {
			if epoch == 2 && r.ID() == 0 {
				return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGTERM), sendUntilPreempted(r, count, &sent))
			}
			count.Send(uint64((r.ID() + 1) % r.Size()))
			sent++
			return nil
		}); err != nil {
			return err
		}
		told := 0
		select {
		case <-r.Preempted():
			told = 1
		default:
		}
		sum, err := pebble.AllReduce(r, [2]int{told, sent - handled}, func(a, b [2]int) [2]int {
			return [2]int{a[0] + b[0], a[1] + b[1]}
		})
		switch {
		case err != nil:
			return err
		case sum[1] != 0:
			return fmt.Errorf("%d pebbles more were sent than handled", sum[1])
		case sum[0] > 0 && epoch < 2:
			return fmt.Errorf("told in epoch %d", epoch)
		case sum[0] > 0:
			return nil
		}
	}
}

func sendUntilPreempted(r *pebble.Rank, to *target.Target[uint64], sent *int) error {
	for {
		select {
		case <-r.Preempted():
			return nil
		default:
			to.Send(uint64(r.Size() - 1))
			*sent++
		}
	}
}

// stuckInHandler makes the handler of the last rank wait without end; no signal ends it.
func stuckInHandler(r *pebble.Rank) error {
	hit := byRank(r, "hit", waitForNothing)
	return epoch(r, func() { hit.Send(uint64(r.Size() - 1)) })
}

func waitForNothing(uint64) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		panic(err)
	}
	<-make(chan struct{})
}

// quits holds many goroutines at one place when SIGQUIT comes.
func quits(r *pebble.Rank) error {
	const n = 100
	var all sync.WaitGroup
	end := make(chan struct{})
	all.Add(n)
	for range n {
		go func() {
			all.Done()
			<-end
		}()
	}
	all.Wait()
	if err := r.Barrier(); err != nil || r.ID() > 0 {
		return err
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGQUIT); err != nil {
		return err
	}
	<-end
	return nil
}

// programs are programs that start jobs in other ways than by one call of pebble.Main.
var programs = map[string]func() error{
	"flagged":    flagged,
	"careless":   careless,
	"ranks":      func() error { return starts(pebble.RunLaunched, pebble.Config{Ranks: 7}) },
	"same ranks": func() error { return starts(pebble.RunLaunched, pebble.Config{Ranks: 3}) },
	"simulated": func() error {
		w, err := sim.New(sim.Config{Ranks: 2, Seed: 1})
		if err != nil {
			return err
		}
		return w.Each(func(p netio.Transport) error { return starts(pebble.Run, pebble.Config{Transport: p}) })
	},
	"run":            func() error { return starts(pebble.Run, pebble.Config{}) },
	"run alone":      func() error { return starts(pebble.Run, pebble.Config{Alone: true}) },
	"twice":          func() error { return after(pebble.RunLaunched, pebble.Config{}) },
	"then run":       func() error { return after(pebble.Run, pebble.Config{}) },
	"then run alone": func() error { return after(pebble.Run, pebble.Config{Alone: true}) },
}

// starting is pebble.Run or pebble.RunLaunched.
type starting = func(context.Context, pebble.Config, func(*pebble.Rank) error) error

// starts starts a job that has a barrier.
func starts(by starting, c pebble.Config) error {
	return by(context.Background(), c, (*pebble.Rank).Barrier)
}

// after starts a second job after the end of the launched one.
func after(by starting, c pebble.Config) error {
	if err := starts(pebble.RunLaunched, pebble.Config{}); err != nil {
		return fmt.Errorf("first: %w", err)
	}
	return starts(by, c)
}

func TestMain(m *testing.M) {
	name := os.Getenv(roleVariable)
	if role, ok := roles[name]; ok {
		pebble.Main(pebble.Config{Grace: time.Minute}, role)
	}
	if program, ok := programs[name]; ok {
		launch.Exit(pebble.WriteError(os.Stderr, program()))
	}
	goleak.VerifyTestMain(m)
}

// play runs a role as a job of processes, and returns the status and the standard error of the processes.
func play(t *testing.T, role string, processes, ranks int) (status int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	result, err := launch.Run(ctx, launch.Spec{
		Processes: processes, Ranks: ranks, Program: []string{os.Args[0]},
		Env: []string{roleVariable + "=" + role}, Stdout: &stderr, Stderr: &stderr, Prefix: true,
		Grace: 20 * time.Second, // processes end in order with their reasons, even on a busy machine
	})
	if err == nil {
		require.Zero(t, result.Status)
	}
	return result.Status, stderr.String()
}

// These are the errors and statuses of jobs of processes.
func TestProcesses(t *testing.T) {
	const taken = `register target "another": rank 0 registers target "one"`
	for _, c := range []struct {
		role             string
		processes, ranks int
		status           int
		says             string // "": nothing
	}{
		{"well", 3, 5, 0, ""},
		{"error", 3, 3, launch.ExitError, "[1] rank 1: rank 1 has had enough\n"},
		{"register", 2, 2, launch.ExitError, taken},
		// A job whose first process is preempted in the middle of an epoch ends in order, with all pebbles handled.
		{"preempted", 1, 3, 0, ""},
		{"preempted", 3, 3, 0, ""},
		// Each of these would run as several jobs silently, or fail silently.
		{"ranks", 3, 3, launch.ExitError, "7 ranks, but the job was started with 3: leave Config.Ranks 0"},
		{"same ranks", 3, 3, 0, ""},
		{"run", 3, 3, launch.ExitError, "one of a job of 3 processes"},
		{"run alone", 3, 3, 0, ""},
		{"simulated", 3, 3, launch.ExitError, "start a simulation without a launcher"},
		{"twice", 3, 3, launch.ExitError, "can do so once"},
		{"then run", 3, 3, launch.ExitError, "one of a job of 3 processes"},
		{"then run alone", 3, 3, 0, ""},
	} {
		t.Run(fmt.Sprintf("%s, %d processes", c.role, c.processes), func(t *testing.T) {
			status, said := play(t, c.role, c.processes, c.ranks)
			require.Equal(t, c.status, status, said)
			if c.says == "" || strings.HasPrefix(c.says, "[") {
				require.Equal(t, c.says, said)
			}
			require.Contains(t, said, c.says)
		})
	}
}

func TestTasksOfAnotherLauncherAreNoJobs(t *testing.T) {
	t.Setenv("PMI_SIZE", "2")
	run := func(c pebble.Config) error { return pebble.Run(t.Context(), c, (*pebble.Rank).Barrier) }
	require.ErrorContains(t, run(pebble.Config{}), "pebble: run: another launcher has started this process as one "+
		"of 2 (PMI_SIZE=2)")
	require.ErrorContains(t, pebble.RunLaunched(t.Context(), pebble.Config{}, (*pebble.Rank).Barrier), "(PMI_SIZE=2)")
	require.NoError(t, run(pebble.Config{Alone: true}))
	require.NoError(t, run(pebble.Config{Transport: mem.New(2)}), "who names the transport knows")
	t.Setenv("PEBBLES_ALONE", "1")
	require.NoError(t, run(pebble.Config{}))
}

// The rank that panicked prints its stack; the processes that end because of it print nothing.
func TestPanicAcrossProcesses(t *testing.T) {
	status, said := play(t, "panic", 3, 3)
	require.Equal(t, launch.ExitPanic, status, said)
	require.Regexp(t, `^\[2\] misuse_test\.go:\d+: rank 2 panicked in a handler of target "hit" with pebble 2: exploded with 2
\[2\] \n\[2\] goroutine \d+ \[running\]:\n\[2\] \S+pebble_test\.explode\(`, said)
	for line := range strings.Lines(said) {
		require.True(t, strings.HasPrefix(line, "[2]"), "a follower spoke: %s", line)
	}
}

// A process that ends because a rank does not return prints the rank's position, even after another process has failed.
func TestStuckRanksAreShown(t *testing.T) {
	_, said := play(t, "stuck", 2, 4)
	require.Contains(t, said, "did not return within 2s after the failure")
	require.Contains(t, said, `rank 3 is in a handler of target "hit":`)
	require.Contains(t, said, "pebble_test.waitForNothing ")
	require.NotContains(t, said, "rank 2 is in")
}

// SIGQUIT shows each stack once.
func TestQuitShowsGroups(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	require.NoError(t, os.Unsetenv("GOTRACEBACK"))
	status, said := play(t, "quit", 1, 1)
	require.Equal(t, launch.ExitPanic, status, said)
	require.Contains(t, said, "100 goroutines of rank 0:\n")
	require.Equal(t, 1, strings.Count(said, "pebble_test.quits.func"), said)
	require.Less(t, strings.Count(said, "\n"), 150, said)
}

func TestWriteError(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, 0, ""},
		{errors.New("no luck"), 1, "no luck\n"},
		{&pebble.PanicError{Rank: 3, Value: "ouch", Stack: []byte("where\n")}, 2, "rank 3 panicked: ouch\n\nwhere\n"},
		{&netio.AbortError{Process: 1, Reason: "something"}, 75, ""},
		{&netio.LostError{Process: 1, First: 2, Last: 3, Cause: errors.New("silence")}, 75,
			"lost process 1 (rank 2): silence\n"},
		{launch.ErrLauncherGone, 75, "launcher is gone\n"},
	} {
		var b bytes.Buffer
		require.Equal(t, c.status, pebble.WriteError(&b, c.err))
		require.Equal(t, c.said, b.String())
	}
}
