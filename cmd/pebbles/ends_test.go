package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endless is a job that is in its epoch at once, and stays there for hours.
var endless = []string{"randomaccess", "--log2-words", "10", "--updates-per-word", "1e12", "--verbose"}

// member is a process of a job, as its log tells of it.
type member struct{ pid, process int }

// running is a command that a test has started.
type running struct {
	*exec.Cmd
	stdout  bytes.Buffer
	log     log
	members []member
	ended   chan struct{}
}

// begin starts an endless job and waits until all of its processes are at work in the epoch.
func begin(t *testing.T, processes int, flags ...string) *running {
	t.Helper()
	if stat(os.Getpid()) == nil {
		t.Skip("this system does not tell of processes in /proc")
	}
	r := &running{Cmd: exec.Command(binary, with(endless, flags...)...), ended: make(chan struct{})}
	r.Stdout, r.Stderr = &r.stdout, &r.log
	require.NoError(t, r.Start())
	go func() {
		defer close(r.ended)
		_ = r.Wait() // the status tells
	}()
	t.Cleanup(func() {
		_ = r.Process.Kill()
		<-r.ended
	})
	r.until(t, "all processes take part", func() bool {
		r.members = r.log.members()
		return len(r.members) == processes
	})
	for _, m := range r.members {
		r.until(t, "process is at work", func() bool { return cpuTicks(m.pid) >= 10 })
	}
	return r
}

// until waits until something is so.
func (r *running) until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for give := time.After(limit); !so(); {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-r.ended:
			require.Failf(t, "the command has ended", "before: %s\n%s", what, r.log.String())
		case <-give:
			require.Failf(t, "nothing comes", "%s\n%s", what, r.log.String())
		}
	}
}

// inTime looks whether something is so within the 5 seconds that docs/contract.md promises. They are counted in looks:
// on a loaded machine a look takes longer, as does what it waits for.
func inTime(so func() bool) bool {
	const apart = 5 * time.Millisecond
	for range 5 * time.Second / apart {
		if so() {
			return true
		}
		time.Sleep(apart)
	}
	return so()
}

// hasEnded reports whether the command has.
func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// end waits for the end of the command, and checks that nothing is left of the job.
func (r *running) end(t *testing.T) (status int, stderr string) {
	t.Helper()
	require.True(t, inTime(r.hasEnded), "the job has not ended within 5 seconds: %s", &r.log)
	r.gone(t)
	require.Empty(t, r.stdout.String())
	return r.ProcessState.ExitCode(), r.log.String()
}

// gone checks that no process of the job is left.
func (r *running) gone(t *testing.T) {
	t.Helper()
	for _, m := range r.members {
		require.False(t, alive(m.pid), "process %d is left", m.process)
	}
}

func TestKilledProcess(t *testing.T) {
	for victim := range 3 {
		t.Run(fmt.Sprint("process ", victim), func(t *testing.T) {
			t.Parallel()
			r := begin(t, 3, "--procs", "3")
			for _, m := range r.members {
				if m.process == victim {
					require.NoError(t, syscall.Kill(m.pid, syscall.SIGKILL))
				}
			}
			status, stderr := r.end(t)
			require.Equal(t, 128+9, status, stderr)
			require.Contains(t, stderr, fmt.Sprintf("process %d (rank %d) was killed by signal 9", victim, victim))
		})
	}
}

func TestKilledLauncher(t *testing.T) {
	t.Parallel()
	r := begin(t, 2, "--procs", "2")
	require.NoError(t, r.Process.Kill())
	<-r.ended
	inTime(func() bool { return !slices.ContainsFunc(r.members, func(m member) bool { return alive(m.pid) }) })
	r.gone(t)
}

func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for procs := 1; procs <= 2; procs++ {
			t.Run(fmt.Sprint(signal, " procs ", procs), func(t *testing.T) {
				t.Parallel()
				r := begin(t, procs, "--procs", strconv.Itoa(procs))
				require.NoError(t, r.Process.Signal(signal))
				status, stderr := r.end(t)
				require.Equal(t, 128+int(signal), status, stderr)
				require.Contains(t, stderr, signal.String())
			})
		}
	}
}

// log keeps what a command prints to standard error while it runs.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

var takesPart = regexp.MustCompile(`process takes part" pid=(\d+) process=(\d+) `)

func (l *log) members() (ms []member) {
	for _, found := range takesPart.FindAllStringSubmatch(l.String(), -1) {
		pid, _ := strconv.Atoi(found[1])
		process, _ := strconv.Atoi(found[2])
		ms = append(ms, member{pid, process})
	}
	return ms
}

// stat reads the fields of /proc/PID/stat from the state on; nil when there is no such process.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

// alive reports whether a process is there, and not only waiting for its parent to look at its end.
func alive(pid int) bool {
	s := stat(pid)
	return len(s) > 0 && s[0] != "Z" && s[0] != "X"
}

// cpuTicks is how long a process has worked, in hundredths of a second.
func cpuTicks(pid int) int {
	s := stat(pid)
	if len(s) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(s[11])
	system, _ := strconv.Atoi(s[12])
	return user + system
}
