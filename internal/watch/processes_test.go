package watch_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// roleVariable makes the test binary a process of a job.
const roleVariable = "WATCH_TEST_ROLE"

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleVariable); ok {
		play(role)
	}
	_ = flag.Set("test.parallel", "8") // these tests wait
	goleak.VerifyTestMain(m)
}

// play is a process of a job. Its last rank waits for a line on a pipe that the test holds, at the place given by the
// role, while the others wait for it.
func play(role string) {
	config := pebble.Config{Watch: pebble.Watch{Stall: 2 * time.Second, Name: "play"}}
	if role == "refused" {
		config.Watch.HTTP = "no such port"
	}
	pebble.Main(config, func(r *pebble.Rank) error {
		visit := ranks(r, func(uint64) {
			if role == "handler" {
				select {}
			}
		})
		return r.Epoch(func() error {
			fmt.Fprintf(os.Stderr, "rank %d is pid %d\n", r.ID(), os.Getpid())
			if r.ID() == 0 {
				visit.SendAll([]uint64{uint64(r.Size() - 1)})
			}
			if role == "stopped" && r.ID() == r.Size()-1 {
				select {} // until it is stopped, and later killed
			}
			return nil
		}, pebble.Named("play"))
	})
}

// output is the output of a job; await waits until it matches a pattern, and returns the first group.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.text.Write(b)
	select {
	case o.news <- struct{}{}:
	default:
	}
	return n, err
}

func (o *output) await(t *testing.T, ended <-chan struct{}, pattern string) string {
	t.Helper()
	for {
		o.mu.Lock()
		text := o.text.String()
		o.mu.Unlock()
		if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
			return m[1]
		}
		select {
		case <-o.news:
		case <-ended:
			require.Regexp(t, pattern, text, "the job has ended")
		}
	}
}

// start starts a job with this test binary. Its output grows until it has ended.
func start(t *testing.T, role string, processes, ranks int) (*output, <-chan struct{}) {
	out := &output{news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		self, _ := os.Executable()
		_, _ = launch.Run(ctx, launch.Spec{
			Processes: processes, Ranks: ranks, Program: []string{self}, Env: []string{roleVariable + "=" + role},
			Stdout: io.Discard, Stderr: out, Grace: 100 * time.Millisecond, SilenceLimit: time.Minute, Transport: "tcp",
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return out, ended
}

// startStopped starts a job of two processes, and returns when all ranks are running, with the pid of the last process.
func startStopped(t *testing.T) (out *output, ended <-chan struct{}, pid int) {
	out, ended = start(t, "stopped", 2, 4)
	pid, err := strconv.Atoi(out.await(t, ended, `rank 3 is pid ([0-9]+)`))
	require.NoError(t, err)
	out.await(t, ended, `(rank 0 is pid)`)
	out.await(t, ended, `(rank 1 is pid)`)
	return out, ended, pid
}

// TestOtherProcess requires that process 0 reports for all processes: a handler that does not return in another process
// is named, with its calls.
func TestOtherProcess(t *testing.T) {
	t.Parallel()
	out, ended := start(t, "handler", 3, 6)
	verdict := out.await(t, ended, `(?m)^(.*rank 5 runs the handler of "visit", in epoch "play".*)$`)
	require.Contains(t, verdict, `ranks 0-4 wait for the end of epoch "play" (processes_test.go:`)
	out.await(t, ended, `(processes_test\.go:[0-9]+ \[5\])`)
}

// TestRefusedInOneProcess requires that a process that cannot show its job ends the others, which blame no other.
func TestRefusedInOneProcess(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	_, err = launch.Run(t.Context(), launch.Spec{
		Processes: 3, Program: []string{self}, Env: []string{roleVariable + "=refused"}, Stdout: io.Discard,
		Stderr: io.Discard, Transport: "tcp",
	})
	failed, ok := errors.AsType[*launch.FailedError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 0, failed.First.Process)
	require.Equal(t, launch.ExitError, failed.First.Status)
	require.Empty(t, failed.Lost)
}

func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	out, ended, pid := startStopped(t)
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer syscall.Kill(pid, syscall.SIGKILL)
	verdict := out.await(t, ended, `(?m)^(process 1.*)$`)
	require.Contains(t, verdict, "its ranks are 2-3")
	require.Contains(t, verdict, `ranks 0-1 wait for the end of epoch "play"`)
	if strings.Contains(verdict, "pid") { // it has sent its description before
		require.Contains(t, verdict, fmt.Sprintf("pid %d", pid))
		require.Contains(t, verdict, "is stopped by a signal")
	}
}

// TestQuit requires that SIGQUIT to one process makes process 0 report for all.
func TestQuit(t *testing.T) {
	t.Parallel()
	out, ended, pid := startStopped(t)
	require.NoError(t, syscall.Kill(pid, syscall.SIGQUIT))
	out.await(t, ended, `(play [0-9a-f]+, 4 ranks, at )`)
	out.await(t, ended, `(watch.test: quit)`)
	<-ended
}

// TestManySimulatedRanks requires a timely, short report of many simulated ranks, where one hangs.
func TestManySimulatedRanks(t *testing.T) {
	const many = 1024
	out := newReport()
	w := pebble.Watch{Stall: 2 * time.Second, Out: out}
	err := simulated(t, sim.Config{Ranks: many, Seed: 1}, w, func(r *pebble.Rank) error {
		if r.ID() == 77 {
			<-out.release
		}
		return r.Barrier()
	})
	require.NoError(t, err)
	require.Contains(t, out.verdict(), "rank 77 runs its function")
	require.Contains(t, out.verdict(), " ranks wait for the others in barrier (processes_test.go:")
	require.Less(t, out.text.Len(), 1<<20)
}
