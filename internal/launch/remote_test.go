package launch_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// nasty holds what a shell could take amiss.
var nasty = []string{
	"plain", "with space", `"quotes" 'and' \ $HOME $(id) ` + "`id`", "", "two\nlines\n", "EOF", "-x", "*", "~", "!!", "é\xff\t\r", "'",
}

// otherHosts makes a job run on two hosts, by a command that takes the place of ssh: it runs the other host's shell here.
func otherHosts(s launch.Spec, shell string) launch.Spec {
	s.Hosts = []string{"north", "south"}
	s.Bind = "127.0.0.1"
	s.Prefix = true
	s.SSH = []string{"sh", "-c", `exec "$0" -c "$2"`, shell}
	return s
}

func TestRemoteProcessIsToldItsPlace(t *testing.T) {
	for _, shell := range []string{"sh", "bash"} {
		t.Run(shell, func(t *testing.T) {
			dir := t.TempDir()
			r := begin(t, "show", otherHosts(launch.Spec{Processes: 2, Program: nasty, Dir: dir, Env: []string{"EXTRA=a b"}}, shell))
			_, err := r.end(t)
			lines, _ := r.look()
			require.NoError(t, err, lines)
			shown := append([]string{}, nasty...)
			shown[10] = "é\ufffd\t\r" // by JSON
			requireShown(t, r, shown, dir)
		})
	}
}

// TestSecretIsInNoEnvironment has a login that exports all names that the shells on the other host use, or may have used,
// and one that tells them to export everything.
func TestSecretIsInNoEnvironment(t *testing.T) {
	for _, name := range []string{
		"n", "l", "b", "secret", "watcher", "status", "signal",
		"pebbles_n", "pebbles_line", "pebbles_script", "pebbles_watcher", "pebbles_signal", "pebbles_status",
	} {
		t.Setenv(name, "mine")
	}
	for _, shell := range []string{"sh", "bash"} {
		t.Run(shell, func(t *testing.T) { requireNoSecret(t, shell) })
	}
	t.Run("bash is sh", func(t *testing.T) {
		bash, err := exec.LookPath("bash")
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.Symlink(bash, filepath.Join(dir, "sh")))
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		t.Setenv("SHELLOPTS", "allexport")
		requireNoSecret(t, "/bin/sh")
	})
}

// requireNoSecret looks at the whole environment of programs that a login shell has started.
func requireNoSecret(t *testing.T, shell string) {
	hexadecimal := regexp.MustCompile("[0-9a-f]{64}")
	s := otherHosts(launch.Spec{Processes: 2, Env: []string{"secret=ours", "b="}}, shell)
	s.SSH[0] = "/bin/sh"
	r := begin(t, "environment", s)
	_, err := r.end(t)
	lines, _ := r.look()
	require.NoError(t, err, lines)
	for _, text := range r.find(t, "environment", 2) {
		var environment []string
		require.NoError(t, json.Unmarshal([]byte(text), &environment))
		require.Contains(t, environment, "secret=ours")
		require.Contains(t, environment, "b=")
		require.Contains(t, environment, "status=mine")
		for _, v := range environment {
			require.NotRegexp(t, hexadecimal, v)
			require.NotContains(t, v, "pebbles_")
		}
	}
}

func TestNamesOfTheLauncherAreRefused(t *testing.T) {
	for _, name := range []string{"PEBBLES_JOB", "PEBBLES_SECRET_FD", "pebbles_script", "pebbles_signal"} {
		_, err := begin(t, "exchange", launch.Spec{Processes: 1, Env: []string{name + "=x"}}).end(t)
		require.ErrorContains(t, err, "the launcher needs this name itself")
	}
}

func TestRemoteArgumentsMayBeLong(t *testing.T) {
	long := strings.Repeat("0123456789", 12_000) // a pipe has room for half of it
	args := []string{long, long + "x"}
	dir := t.TempDir()
	r := begin(t, "show", otherHosts(launch.Spec{Processes: 2, Program: args, Dir: dir, Env: []string{"EXTRA=a b"}}, "sh"))
	_, err := r.end(t)
	require.NoError(t, err)
	requireShown(t, r, args, dir)
}

func TestRemoteJobWithAnInterfaceName(t *testing.T) {
	s := otherHosts(launch.Spec{Processes: 3}, "sh")
	s.Bind = "lo"
	_, err := begin(t, "exchange", s).end(t)
	require.NoError(t, err)
}

func TestManyProcessesOnOneHostStartInTurn(t *testing.T) {
	_, err := begin(t, "exchange", otherHosts(launch.Spec{Processes: 20}, "sh")).end(t)
	require.NoError(t, err)
}

func TestRemoteProcessThatIsKilledIsNamed(t *testing.T) {
	r := begin(t, "wait", otherHosts(launch.Spec{Processes: 3}, "sh"))
	r.find(t, "ready", 3)
	require.NoError(t, syscall.Kill(number(r.find(t, "[2] ready", 1)[0]), syscall.SIGKILL))
	result, err := r.end(t)
	require.ErrorContains(t, err, "process 2 (rank 2, host south) ended with status 137 (signal 9, killed) first; the other 2 ended with it")
	require.Equal(t, 137, result.Status)
}

// TestRemoteProcessThatStopsAtTheEndIsNamed has a process be stopped when the others have ended in order. Its host
// says so.
func TestRemoteProcessThatStopsAtTheEndIsNamed(t *testing.T) {
	t.Parallel() // it takes as long as its limit
	for _, shell := range []string{"sh", "bash"} {
		r := begin(t, "stop-ended", otherHosts(launch.Spec{Processes: 3, SilenceLimit: 2 * time.Second}, shell))
		late := time.AfterFunc(15*time.Second, func() { r.cancel(errors.New("nobody has noticed")) })
		result, err := r.end(t)
		late.Stop()
		require.ErrorContains(t, err, "process 1 (rank 1, host north) ended with status 137 (signal 9, killed) first")
		require.Equal(t, 137, result.Status)
		r.find(t, "[1] process 1 has been stopped for 2s while others have ended; it is killed", 1)
	}
}

func TestRemoteStatus(t *testing.T) {
	for status, says := range map[string]string{
		"7": "ended with status 7", "126": "can't be executed there", "127": "was not found there", "255": "ssh could not reach",
	} {
		_, err := begin(t, "crash:"+status, otherHosts(launch.Spec{Processes: 2}, "sh")).end(t)
		require.ErrorContains(t, err, says)
	}
	_, err := begin(t, "crash:0", otherHosts(launch.Spec{Processes: 2, Dir: "/no/such/dir"}, "sh")).end(t)
	require.ErrorContains(t, err, "ended with status 1")
}

func TestRemoteSignals(t *testing.T) {
	r := begin(t, "wait", otherHosts(launch.Spec{Processes: 2}, "sh"))
	r.find(t, "ready", 2)
	r.cancel(errors.New("enough"))
	result, err := r.end(t)
	require.EqualError(t, err, "job was ended: enough")
	r.find(t, "signal:", 1)
	requireSignalled(t, result, 143)
}

// requireSignalled looks for a process that has ended by a signal. Others may have noticed its end before their signal.
func requireSignalled(t *testing.T, result launch.Result, status int) {
	t.Helper()
	var seen []int
	for _, o := range result.Outcomes {
		seen = append(seen, o.Status)
		require.Contains(t, []int{status, launch.ExitFollower}, o.Status)
	}
	require.Contains(t, seen, status)
}

func TestRemoteProcessThatDoesNotEndIsKilled(t *testing.T) {
	r := begin(t, "stubborn", otherHosts(launch.Spec{Processes: 2, Grace: time.Millisecond}, "sh"))
	r.find(t, "ready", 2)
	r.cancel(errors.New("enough"))
	_, err := r.end(t)
	require.Error(t, err)
}

func TestRemoteGrandchildrenEnd(t *testing.T) {
	r := begin(t, "grandchild", otherHosts(launch.Spec{Processes: 2}, "sh"))
	r.find(t, "grandchild", 2)
	require.NoError(t, syscall.Kill(r.pids(t, "ready", 2)[0], syscall.SIGKILL))
	_, err := r.end(t)
	require.ErrorContains(t, err, "signal 9")
}

func TestLostLauncherEndsRemoteProcesses(t *testing.T) {
	for _, role := range []string{"wait", "never"} {
		t.Run(role, func(t *testing.T) {
			cmd, out := child(t, role, "LAUNCH_TEST_REMOTE=1")
			pids := out.pids(t, "ready", 2)
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			for _, pid := range pids {
				awaitGone(t, pid)
			}
		})
	}
}
