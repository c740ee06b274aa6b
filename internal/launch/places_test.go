package launch_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// place is the location of processes: this machine, or two hosts through a command that replaces ssh.
type place struct{ ssh []string }

func (p place) spec(s launch.Spec) launch.Spec {
	s.Prefix = true
	if p.ssh != nil {
		s.Hosts, s.Bind, s.SSH = []string{"north", "south"}, "127.0.0.1", p.ssh
	}
	return s
}

// otherHosts returns two hosts that are this machine; their users have the given shell.
func otherHosts(shell string) place { return place{[]string{"sh", "-c", `exec "$0" -c "$2"`, shell}} }

// scenarios are jobs with the same behaviour in all places.
var scenarios = map[string]func(*testing.T, place){
	"arguments":                     testArguments,
	"killed process":                testKilledProcess,
	"end of the context":            testEndOfContext,
	"processes that do not end":     testProcessesThatDoNotEnd,
	"what a process leaves running": testWhatIsLeftRunning,
	"lost launcher":                 testLostLauncher,
}

func TestHere(t *testing.T)         { testAll(t, place{}) }
func TestOnOtherHosts(t *testing.T) { testAll(t, otherHosts("sh")) }
func TestByBash(t *testing.T)       { testArguments(t, otherHosts("bash")) }

func testAll(t *testing.T, p place) {
	for name, test := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// nasty holds arguments that a shell could misread.
var nasty = []string{
	"plain", "with space", `"quotes" 'and' \ $HOME $(id) ` +
		"`id`", "", "two\nlines\n", "EOF", "-x", "*", "~", "!!", "é\xff\t\r", "'",
}

// testArguments makes processes print their arguments and environment, and those of their children.
func testArguments(t *testing.T, p place) {
	args := append(slices.Clone(nasty), strings.Repeat("0123456789", 12_000)) // twice the size of a pipe
	dir := t.TempDir()
	r := runJob(t, "show", p.spec(launch.Spec{Processes: 2, Program: args, Dir: dir, Env: []string{"EXTRA=a b"}}))
	if p.ssh != nil {
		require.Equal(t, "north", r.result.Outcomes[0].Host)
		require.Equal(t, "south", r.result.Outcomes[1].Host)
	}
	args[10] = "é\ufffd\t\r" // JSON replaces the invalid byte
	processes := map[string]bool{}
	for _, text := range r.find(t, "shown", 2) {
		var s shown
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		processes[s.Process] = true
		s.Process = ""
		require.Equal(t, shown{Args: args, Dir: dir, Extra: "a b", Name: "shm"}, s)
	}
	require.Equal(t, map[string]bool{"0": true, "1": true}, processes)
}

// testKilledProcess kills a process that has children.
func testKilledProcess(t *testing.T, p place) {
	r := startJob(t, "grandchild", p.spec(launch.Spec{Processes: 4}))
	r.find(t, "grandchild", 4)
	require.NoError(t, syscall.Kill(r.pids(t, "[2] ready", 1)[0], syscall.SIGKILL))
	result, err := r.wait(t)
	require.Equal(t, 137, result.Status)
	require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
	if p.ssh == nil {
		require.EqualError(t, err, "process 2 (rank 2) was killed by signal 9 (killed) first; the other 3 ended with it")
		require.Equal(t, syscall.SIGKILL, result.Outcomes[2].Signal)
		return
	}
	require.EqualError(t, err,
		"process 2 (rank 2, host south) ended with status 137 (signal 9, killed) first; the other 3 ended with it")
}

func testEndOfContext(t *testing.T, p place) {
	r := startJob(t, "grandchild", p.spec(launch.Spec{Processes: 2}))
	r.find(t, "grandchild", 2)
	r.cancel(errors.New("out of time"))
	result, err := r.wait(t)
	require.EqualError(t, err, "job was ended: out of time")
	require.Equal(t, launch.ExitError, result.Status)
	r.find(t, "signal:", 1)
	var statuses []int
	for _, o := range result.Outcomes {
		statuses = append(statuses, o.Status)
	}
	require.Contains(t, statuses, 143)
	require.Subset(t, []int{143, launch.ExitFollower}, statuses, "others may have noticed its end before their signal")
}

func testProcessesThatDoNotEnd(t *testing.T, p place) {
	r := startJob(t, "stubborn", p.spec(launch.Spec{Processes: 2, Grace: time.Millisecond}))
	r.find(t, "ready", 2)
	r.cancel(errors.New("enough"))
	result, err := r.wait(t)
	require.EqualError(t, err, "job was ended: enough")
	require.Contains(t, []int{137, 255}, result.Outcomes[0].Status, "the second is that of ssh")
}

func testWhatIsLeftRunning(t *testing.T, p place) {
	r := runJob(t, "leave", p.spec(launch.Spec{Processes: 2})) // waits until they are gone
	r.find(t, "grandchild", 2)
}

func testLostLauncher(t *testing.T, p place) {
	for _, role := range []string{"wait", "never"} {
		var env []string
		if p.ssh != nil {
			env = []string{"LAUNCH_TEST_SSH=" + strings.Join(p.ssh, "\n")}
		}
		cmd, out := startLauncher(t, role, env...)
		out.find(t, "ready", 2)
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		out.requireGone(t)
	}
}

func TestMembersAreToldThatTheLauncherIsGone(t *testing.T) {
	file := t.TempDir() + "/gone"
	cmd, out := startLauncher(t, "gone", "GONE_FILE="+file)
	out.find(t, "ready", 2)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	out.requireGone(t)
	require.FileExists(t, file+"0")
	require.FileExists(t, file+"1")
}

func TestSignalsAreForwarded(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd, out := startLauncher(t, "wait")
		out.find(t, "ready", 2)
		require.NoError(t, cmd.Process.Signal(s))
		require.Error(t, cmd.Wait())
		require.Equal(t, 128+int(s), cmd.ProcessState.ExitCode())
		err := launch.SignalError{Signal: s}
		require.Equal(t, []string{"job was " + err.Error()}, out.find(t, "result:", 1))
		out.requireGone(t)
	}
}

func TestSecondInterruptKills(t *testing.T) {
	cmd, out := startLauncher(t, "stubborn-listening")
	out.find(t, "ready", 2)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	out.find(t, "signal:", 2)
	time.Sleep(150 * time.Millisecond) // a signal that follows at once doesn't count
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	out.requireGone(t)
}
