package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

func TestJobOfAnySizeRunsAndEnds(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, size := range []struct{ processes, ranks int }{{1, 1}, {2, 5}, {5, 7}} {
		r := runJob(t, "exchange", launch.Spec{Processes: size.processes, Ranks: size.ranks})
		require.Len(t, r.result.Outcomes, size.processes)
		next := 0
		for i, o := range r.result.Outcomes {
			require.Equal(t, i, o.Process)
			require.Equal(t, next, o.First)
			require.True(t, o.Started && o.Joined)
			next = o.Last
		}
		require.Equal(t, size.ranks, next)
		require.Len(t, r.find(t, "ready", 0), size.processes)
		require.False(t, ids[r.result.Job])
		ids[r.result.Job] = true
	}
}

// A job that its launcher encrypts uses TLS for the connections to the launcher and between processes.
func TestEncryptedJob(t *testing.T) {
	t.Parallel()
	runJob(t, "exchange", launch.Spec{Processes: 3, Transport: launch.Via{TLS: true}.String()})
	r := runJob(t, "show", launch.Spec{Processes: 2, Transport: launch.Via{Transport: "tcp", TLS: true}.String()})
	for _, text := range r.find(t, "shown", 2) {
		require.Contains(t, text, `"Name":"tcp+tls"`)
	}
}

func TestTwoJobsAtOnce(t *testing.T) {
	t.Parallel()
	a := startJob(t, "exchange", launch.Spec{Processes: 2})
	runJob(t, "exchange", launch.Spec{Processes: 2})
	_, err := a.wait(t)
	require.NoError(t, err)
}

// TestFirstFailureIsTheJobs checks that other processes end as followers if they have joined, and else by a signal.
func TestFirstFailureIsTheJobs(t *testing.T) {
	for _, c := range []struct {
		role             string
		processes, ranks int
		says             string
		status, follower int // number of the follower, or -1
		prints           string
	}{
		{"fail:2:7", 3, 6, "process 2 (ranks 4-5) ended with status 7 first; the other 2 ended with it", 7, 0, ""},
		{"fail:0:0", 2, 2, "process 0 (rank 0) ended with status 0 while others still needed it first; the other one " +
			"ended with it",
			launch.ExitError, 1, ""},
		{"crash:3", 2, 2, "ended with status 3 first; the other one ended with it", 3, -1, ""},
		{"crash-one:3", 3, 3, "process 1 (rank 1) ended with status 3 first; the other 2 ended with it", 3, 0, ""},
		{"crash-one:0", 3, 3, "process 1 (rank 1) ended with status 0 before it joined the job", launch.ExitError, -1, ""},
		{"wrong-secret", 2, 2, "process 1 (rank 1) ended with status 1 first; the other one ended with it", launch.ExitError,
			0, "wrong"},
	} {
		t.Run(c.role, func(t *testing.T) {
			t.Parallel()
			r := startJob(t, c.role, launch.Spec{Processes: c.processes, Ranks: c.ranks})
			result, err := r.wait(t)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.status, result.Status)
			require.Equal(t, c.status, launch.StatusOf(err))
			if c.follower >= 0 {
				require.Equal(t, launch.ExitFollower, result.Outcomes[c.follower].Status)
			}
			require.Contains(t, r.String(), c.prints)
		})
	}
}

// TestStoppedProcessIsNamed uses processes that ignore failures, and end only when the launcher kills them.
func TestStoppedProcessIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ role, says string }{
		{"stop", "process 1 (rank 1) was lost (process 0: it said nothing for 2s"},
		{"stop-starting", "not connected within "},
	} {
		t.Run(c.role, func(t *testing.T) {
			t.Parallel() // it takes as long as its limit
			var result launch.Result
			var err error
			for limit := 3 * time.Second; ; limit *= 2 { // until both have time to join
				r := startJob(t, c.role, launch.Spec{
					Processes: 2, StartLimit: limit, SilenceLimit: 2 * time.Second, Grace: time.Millisecond,
				})
				result, err = r.wait(t)
				require.Error(t, err)
				if !strings.Contains(err.Error(), "not all processes have joined") {
					break
				}
			}
			require.ErrorContains(t, err, "process 1 (rank 1) was lost (process 0: ")
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "; the other one ended with it")
			require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
			require.Equal(t, 137, result.Status)
		})
	}
}

func TestProgramThatNeverJoins(t *testing.T) {
	t.Parallel()
	runJob(t, "print:hello", launch.Spec{Processes: 3})
	r := startJob(t, "never", launch.Spec{Processes: 2, StartLimit: 50 * time.Millisecond})
	result, err := r.wait(t)
	require.ErrorContains(t, err,
		"not all processes have joined within 50ms; missing: process 0 (rank 0), process 1 (rank 1)")
	require.Equal(t, launch.ExitError, result.Status)
	for limit := time.Second / 4; ; limit *= 2 { // until the others have time to join
		r := startJob(t, "never-one", launch.Spec{Processes: 3, StartLimit: limit})
		result, err := r.wait(t)
		require.ErrorContains(t, err, fmt.Sprintf("within %v; missing: process ", limit))
		if strings.Contains(err.Error(), "missing: process 1 (rank 1);") { // others end by their connection or SIGTERM
			require.Contains(t, []int{launch.ExitFollower, 143}, result.Outcomes[0].Status)
			return
		}
		require.Less(t, limit, testLimit, "processes that have joined are called missing: %v", err)
	}
}

func TestStrangersAtTheStart(t *testing.T) { runJob(t, "knock", launch.Spec{Processes: 2}) }

// TestSharedMemoryOfAKilledProcess checks that files in /dev/shm stay if they are not the process's own.
func TestSharedMemoryOfAKilledProcess(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("this system has no named shared memory: ", err)
	}
	r := startJob(t, "share", launch.Spec{Processes: 1})
	_, err := r.wait(t)
	require.ErrorContains(t, err, "was killed by signal 9")
	names := sharedNames(r.pids(t, "ready", 1)[0])
	t.Cleanup(func() {
		for _, name := range names {
			_ = os.Remove(name)
		}
	})
	for i, name := range names {
		if i < 2 {
			require.NoFileExists(t, name)
		} else {
			require.FileExists(t, name)
		}
	}
}

func TestStdinIsForProcess0(t *testing.T) {
	file := filepath.Join(t.TempDir(), "input")
	require.NoError(t, os.WriteFile(file, []byte("words"), 0o600))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r := runJob(t, "copy", launch.Spec{Processes: 2, Ranks: 2, Stdin: f, Prefix: true})
	require.Equal(t, []string{`"words"`}, r.find(t, "[0] stdin", 1))
	require.Equal(t, []string{`""`}, r.find(t, "[1] stdin", 1))
}

func TestProcess0PrintsToTheLaunchersFileItself(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer file.Close()
	_, err = launch.Run(t.Context(), launch.Spec{
		Processes: 2, Program: []string{executable()}, Env: []string{roleVariable + "=print:words\n"}, Stdout: file,
	})
	require.NoError(t, err)
	out, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "words\nwords\n", string(out))
}

func TestSecretByFile(t *testing.T) {
	wrapper := `umask 077; file=$1.$PEBBLES_PROCESS; cat <&3 >"$file"
unset PEBBLES_SECRET_FD; PEBBLES_SECRET_FILE=$file exec "$0" 3<&-`
	screen := newScreen()
	_, err := launch.Run(t.Context(), launch.Spec{
		Processes: 2, Program: []string{"sh", "-c", wrapper, executable(), filepath.Join(t.TempDir(), "secret")},
		Env: []string{roleVariable + "=exchange"}, Stdout: screen, Stderr: screen,
	})
	require.NoError(t, err, screen)
	screen.find(t, "ready", 2)
}

func TestMistakesInTheSpec(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for _, c := range []struct {
		change func(*launch.Spec)
		says   string
		is     error
	}{
		{func(s *launch.Spec) { s.Processes = 0 }, "0 processes were asked for", nil},
		{func(s *launch.Spec) { s.Transport = "mem" }, `the name "mem"; use auto, shm, ofi or tcp`, nil},
		{func(s *launch.Spec) { s.Program = nil }, "no program", nil},
		{func(s *launch.Spec) { s.Processes, s.Ranks = 2, 1 }, "1 ranks were asked for, 2 processes need 2 to", nil},
		{func(s *launch.Spec) { s.Program = []string{"no-such-program-anywhere"} }, "not found", exec.ErrNotFound},
		{func(s *launch.Spec) { s.Program = []string{plain} }, "permission denied", fs.ErrPermission},
		{func(s *launch.Spec) { s.Dir = "/no/such/dir" }, "no such file or directory", nil},
		{func(s *launch.Spec) { s.Program = []string{"true", "a\x00b"} }, "zero byte", nil},
		{func(s *launch.Spec) { s.Env = []string{"A-B=1"} }, "not of the form NAME=value", nil},
		{func(s *launch.Spec) { s.Env = []string{"PEBBLES_JOB=1"} }, "the launcher needs this name itself", nil},
		{func(s *launch.Spec) { s.Env = []string{"PEBBLES_SECRET_FD=1"} }, "the launcher needs this name itself", nil},
		{func(s *launch.Spec) { s.Env = []string{"pebbles_script=1"} }, "the launcher needs this name itself", nil},
		{func(s *launch.Spec) { s.Env = []string{"pebbles_line=1"} }, "the launcher needs this name itself", nil},
		{func(s *launch.Spec) { s.Hosts = []string{"a"} }, "name it in Bind", nil},
		{func(s *launch.Spec) { s.Hosts, s.Bind = []string{"a", "b"}, "lo" }, "2 hosts for 1 processes", nil},
		{func(s *launch.Spec) { s.Hosts, s.Bind = []string{"-oProxyCommand=x"}, "lo" }, "can't be the name of a host", nil},
		{func(s *launch.Spec) { s.Bind = "0.0.0.0" }, "every network", nil},
		{func(s *launch.Spec) { s.Hosts, s.Bind, s.SSH = []string{"a"}, "lo", []string{"no-such-ssh"} },
			"find the command for other hosts", nil},
	} {
		s := launch.Spec{Processes: 1, Program: []string{"true"}}
		c.change(&s)
		result, err := launch.Run(t.Context(), s)
		require.ErrorContains(t, err, c.says)
		if c.is != nil {
			require.ErrorIs(t, err, c.is)
		}
		require.Equal(t, launch.ExitError, result.Status)
	}
}

func TestOutputOfAllIsForwardedInWholeLines(t *testing.T) {
	t.Parallel()
	r := runJob(t, "print:first\n\nLONG\nno newline", launch.Spec{Processes: 3, Ranks: 6, Prefix: true})
	lines, _ := r.lines()
	require.Len(t, lines, 12)
	for i := range 3 {
		prefix := fmt.Sprintf("[%d-%d] ", 2*i, 2*i+1)
		var mine []string
		for _, l := range lines {
			if strings.HasPrefix(l, prefix) {
				mine = append(mine, strings.TrimPrefix(l, prefix))
			}
		}
		require.Equal(t, []string{"first", "", longLine, "no newline"}, mine)
	}
}

func TestSignalsContext(t *testing.T) {
	ctx, stop := launch.Signals(context.Background())
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	await(t, ctx.Done())
	var signal *launch.SignalError
	require.ErrorAs(t, context.Cause(ctx), &signal)
	require.Equal(t, 143, signal.Status())
	require.Equal(t, 143, launch.StatusOf(context.Cause(ctx)))
	stop()
	stop()
}

type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// The error of a failed process outranks that of its output.
func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	const lost = "forward the output of process 0 (rank 0): no space left"
	for _, c := range []struct {
		launch.Spec
		exits  int
		says   string
		status int
	}{
		{launch.Spec{Processes: 1}, 0, lost, launch.ExitError},
		{launch.Spec{Processes: 1, First: true}, 0, lost, launch.ExitError},
		{launch.Spec{Processes: 1, Prefix: true}, 0, lost, launch.ExitError},
		{launch.Spec{Processes: 2, Prefix: true}, 0, lost, launch.ExitError},
		{launch.Spec{Processes: 2, First: true, Prefix: true}, 0, lost, launch.ExitError},
		{launch.Spec{Processes: 1}, 7, "ended with status 7", 7},
	} {
		c.Ranks = c.Processes
		c.Program = []string{"sh", "-c", fmt.Sprintf(`test "$PEBBLES_PROCESS" != 0 || echo lost; exit %d`, c.exits)}
		c.Stdout, c.Stderr = unwritable{}, unwritable{}
		result, err := launch.Run(context.Background(), c.Spec)
		require.ErrorContains(t, err, c.says)
		require.Equal(t, c.status, result.Status)
	}
}

func TestStreams(t *testing.T) {
	const script = `case $PEBBLES_PROCESS in 0) printf '\001\nzero';; *) echo other;; esac; echo err >&2`
	for _, c := range []struct {
		launch.Spec
		stdout, stderr string // lines in any order
	}{
		{launch.Spec{Processes: 1, First: true}, "\x01\nzero", "err\n"},
		{launch.Spec{Processes: 1}, "\x01\nzero", "err\n"},
		{launch.Spec{Processes: 1, Ranks: 1, Prefix: true}, "[0] \x01\n[0] zero\n", "[0] err\n"},
		{launch.Spec{Processes: 2, Ranks: 2, First: true, Prefix: true}, "\x01\nzero", "[0] err\n[1] err\n[1] other\n"},
		{launch.Spec{Processes: 2, Ranks: 2, First: true}, "\x01\nzero", "err\nerr\nother\n"},
		{launch.Spec{Processes: 2}, "\x01\nother\nzero\n", "err\nerr\n"},
		{launch.Spec{Processes: 2, Ranks: 4, Prefix: true}, "[0-1] \x01\n[0-1] zero\n[2-3] other\n",
			"[0-1] err\n[2-3] err\n"},
	} {
		var stdout, stderr bytes.Buffer
		c.Program, c.Stdout, c.Stderr = []string{"sh", "-c", script}, &stdout, &stderr
		_, err := launch.Run(context.Background(), c.Spec)
		require.NoError(t, err)
		require.ElementsMatch(t, strings.SplitAfter(c.stdout, "\n"), strings.SplitAfter(stdout.String(), "\n"))
		require.ElementsMatch(t, strings.SplitAfter(c.stderr, "\n"), strings.SplitAfter(stderr.String(), "\n"))
	}
}
