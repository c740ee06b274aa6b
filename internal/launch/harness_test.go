package launch_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/leaks"
)

// testLimit is the time that a test waits for an event that must come. It is longer than any start limit of a test.
const testLimit = 6 * time.Minute

// screen keeps the lines that a job prints, and lets a test wait for them.
type screen struct {
	mu    sync.Mutex
	text  bytes.Buffer
	fresh chan struct{} // closed and replaced after output
}

func newScreen() *screen { return &screen{fresh: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.fresh)
	s.fresh = make(chan struct{})
	return s.text.Write(b)
}

func (s *screen) lines() (lines []string, fresh <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSuffix(s.text.String(), "\n"), "\n"), s.fresh
}

func (s *screen) String() string {
	lines, _ := s.lines()
	return strings.Join(lines, "\n")
}

// find returns the text after word in the lines that contain it, once n lines do.
func (s *screen) find(t *testing.T, word string, n int) []string {
	t.Helper()
	limit := time.After(testLimit)
	for {
		lines, fresh := s.lines()
		var found []string
		for _, l := range lines {
			if _, rest, ok := strings.Cut(l, word+" "); ok {
				found = append(found, rest)
			}
		}
		if len(found) >= n {
			return found
		}
		select {
		case <-fresh:
		case <-limit:
			require.Failf(t, "nothing comes", "%d lines with %q wanted, these came:\n%s", n, word, s)
		}
	}
}

func (s *screen) pids(t *testing.T, word string, n int) (pids []int) {
	t.Helper()
	for _, text := range s.find(t, word, n) {
		pids = append(pids, number(text))
	}
	return pids
}

// requireGone waits until all processes that have printed their numbers have ended.
func (s *screen) requireGone(t *testing.T) {
	t.Helper()
	for _, pid := range append(s.pids(t, "ready", 0), s.pids(t, "grandchild", 0)...) {
		awaitGone(t, pid)
	}
}

// run is a job that a test has started.
type run struct {
	*screen
	cancel context.CancelCauseFunc
	ended  chan struct{}
	result launch.Result
	err    error
}

// startJob runs a job of the test binary in a role.
func startJob(t *testing.T, role string, s launch.Spec) *run {
	t.Helper()
	s.Program = append([]string{executable()}, s.Program...)
	s.Env = append(s.Env, roleVariable+"="+role)
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{screen: newScreen(), cancel: cancel, ended: make(chan struct{})}
	s.Stdout, s.Stderr = r.screen, r.screen
	go func() {
		defer close(r.ended)
		r.result, r.err = launch.Run(ctx, s)
	}()
	t.Cleanup(func() {
		cancel(nil)
		<-r.ended
	})
	return r
}

// wait waits for the end of the job, and checks that none of its processes is left.
func (r *run) wait(t *testing.T) (launch.Result, error) {
	t.Helper()
	await(t, r.ended)
	r.requireGone(t)
	return r.result, r.err
}

// runJob runs a job that must end well.
func runJob(t *testing.T, role string, s launch.Spec) *run {
	t.Helper()
	r := startJob(t, role, s)
	result, err := r.wait(t)
	require.NoError(t, err, r)
	require.Zero(t, result.Status)
	return r
}

// startLauncher runs a launcher of two processes in a separate process.
func startLauncher(t *testing.T, role string, env ...string) (*exec.Cmd, *screen) {
	t.Helper()
	out := newScreen()
	cmd := exec.Command(executable())
	cmd.Env = append(append(os.Environ(), roleVariable+"=launcher:"+role), env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = testLimit
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, out
}

func await(t *testing.T, what <-chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-time.After(testLimit):
		require.Fail(t, "nothing comes")
	}
}

// awaitGone waits for the end of a process that is not a child of this one, or that has been waited for. A zombie
// counts as ended: the first process of a container may not reap it.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for limit := time.After(testLimit); ; {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || syscall.Kill(pid, 0) != nil {
			return
		}
		if _, rest, ok := strings.Cut(string(stat), ") "); ok && rest[0] == 'Z' {
			return
		}
		select {
		case <-limit:
			require.Failf(t, "process is left", "%d: %s", pid, stat)
		case <-time.After(time.Millisecond):
		}
	}
}

// roleVariable makes the test binary play a role in a job instead of running the tests.
const roleVariable = "LAUNCH_TEST_ROLE"

func TestMain(m *testing.M) {
	launch.BeAgent()
	if role, ok := os.LookupEnv(roleVariable); ok {
		os.Unsetenv(roleVariable)
		play(role)
	}
	runtime.GOMAXPROCS(2)              // jobs have the ranks of a machine of two cores
	_ = flag.Set("test.parallel", "6") // most tests wait for processes, and these for limits
	goleak.VerifyTestMain(leaks.Main(m))
}
