package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// keepPID is for byFakeSSH: the agent has the process id of the command that replaces ssh.
const keepPID = `echo $$ > $count/$host.pid`

func agentOf(t *testing.T, count, host string) int {
	text, err := os.ReadFile(filepath.Join(count, host+".pid"))
	require.NoError(t, err)
	return number(strings.TrimSpace(string(text)))
}

// Each host has one ssh for all of its processes.
func TestOneAgentForEachHost(t *testing.T) {
	t.Parallel()
	s, count := byFakeSSH(t, "", launch.Spec{Processes: 7, Ranks: 9}, "a", "a", "a", "b", "b", "c")
	r := runJob(t, "exchange", s)
	require.Len(t, r.find(t, "ready", 7), 7)
	for _, host := range []string{"a", "b", "c"} {
		require.Equal(t, 1, tries(t, count, host), host)
	}
}

// If an agent is killed, the processes of its host end, and then all others.
func TestAgentThatDies(t *testing.T) {
	t.Parallel()
	s, count := byFakeSSH(t, keepPID, launch.Spec{Processes: 4}, "a", "b")
	r := startJob(t, "wait", s)
	r.find(t, "ready", 4)
	require.NoError(t, syscall.Kill(agentOf(t, count, "b"), syscall.SIGKILL))
	result, err := r.wait(t)
	require.ErrorContains(t, err, "(rank 2, host b) ended with status 137 (signal 9, killed) first")
	require.Equal(t, 137, result.Status)
}

// If an agent is killed before its processes have joined, the start ends for all, long before the limit.
func TestAgentThatDiesInTheStart(t *testing.T) {
	t.Parallel()
	s, count := byFakeSSH(t, keepPID, launch.Spec{Processes: 2, StartLimit: time.Hour}, "a", "b")
	r := startJob(t, "never-one", s)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(count, "b.pid"))
		return err == nil && len(text) > 0
	}, testLimit, time.Millisecond)
	require.NoError(t, syscall.Kill(agentOf(t, count, "b"), syscall.SIGKILL))
	_, err := r.wait(t)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "within 1h")
}

// If a process ends before it has joined, the start of the job ends on all hosts.
func TestProcessThatEndsInTheStart(t *testing.T) {
	t.Parallel()
	s, _ := byFakeSSH(t, "", launch.Spec{Processes: 4, StartLimit: time.Hour}, "a", "b")
	result, err := startJob(t, "crash-one:9", s).wait(t)
	require.ErrorContains(t, err, "process 1 (rank 1, host a) ended with status 9 first")
	require.Equal(t, 9, result.Status)
	for _, o := range result.Outcomes {
		require.True(t, o.Process == 1 || !o.Started || o.Status == launch.ExitFollower || o.Status > 128, o)
	}
}

// The output of a login shell before the agent's is forwarded, but no message of the agent.
func TestWhatALoginPrintsIsForwarded(t *testing.T) {
	t.Parallel()
	s, _ := byFakeSSH(t, `echo "welcome to $host"; printf 'no newline'`, launch.Spec{Prefix: true}, "a", "b")
	r := runJob(t, "exchange", s)
	for _, line := range []string{"[0] welcome to a\n", "[1] welcome to b\n", "[0] no newline", "[1] no newline"} {
		require.Contains(t, r.String(), line)
	}
	require.NotContains(t, r.String(), "agent-")
}

// A host with invalid messages ends the job. It speaks when it has got its script, as agents do.
func TestAgentThatIsNone(t *testing.T) {
	t.Parallel()
	s, _ := byFakeSSH(t, `if [ $host = b ]; then job=${2#*ready-}; job=${job%% *}; echo "ready-$job" >&2
read -r script; echo "agent-$job"; printf '\377\377\377\377'; exec sleep 1000; fi`, launch.Spec{StartLimit: time.Hour}, "a", "b")
	_, err := startJob(t, "exchange", s).wait(t)
	require.ErrorContains(t, err, "process 1 (rank 1, host b) ended with status 137 (signal 9, killed)")
}
