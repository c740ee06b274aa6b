package launch_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// testLimit is how long a test waits for what must come: longer than any start limit that a test sets.
const testLimit = 6 * time.Minute

// screen keeps the lines that a job prints, and lets a test wait for them.
type screen struct {
	mu    sync.Mutex
	text  bytes.Buffer
	fresh chan struct{} // closed and replaced when something was printed
}

func newScreen() *screen { return &screen{fresh: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.fresh)
	s.fresh = make(chan struct{})
	return s.text.Write(b)
}

func (s *screen) look() (lines []string, fresh <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSuffix(s.text.String(), "\n"), "\n"), s.fresh
}

// find returns what stands after word in the lines that have it, once there are n of them.
func (s *screen) find(t *testing.T, word string, n int) []string {
	t.Helper()
	limit := time.After(testLimit)
	for {
		lines, fresh := s.look()
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
			require.Failf(t, "nothing comes", "%d lines with %q wanted, these came:\n%s", n, word, strings.Join(lines, "\n"))
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

// run is a job that a test has started.
type run struct {
	*screen
	cancel context.CancelCauseFunc
	ended  chan struct{}
	result launch.Result
	err    error
}

// begin runs a job of the test binary in a role.
func begin(t *testing.T, role string, s launch.Spec) *run {
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

// end waits for the end of the job, and checks that no process is left of those whose numbers were printed.
func (r *run) end(t *testing.T) (launch.Result, error) {
	t.Helper()
	await(t, r.ended)
	for _, word := range []string{"ready", "grandchild"} {
		for _, pid := range r.pids(t, word, 0) {
			awaitGone(t, pid)
		}
	}
	return r.result, r.err
}

func await(t *testing.T, what <-chan struct{}) {
	t.Helper()
	select {
	case <-what:
	case <-time.After(testLimit):
		require.Fail(t, "nothing comes")
	}
}

// awaitGone waits for the end of a process that is nobody's child here, or was waited for already. A zombie has ended:
// the first process of a container may leave it so.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	for limit := time.After(testLimit); ; {
		stat, err := os.ReadFile("/proc/" + itoa(pid) + "/stat")
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
