package launch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/scripttest"
)

// byFakeSSH makes a job use a command instead of ssh. The command runs the script for the host in $host, and then runs
// the command for ssh on this machine. In $count, a file with the host's name counts the calls for the host.
func byFakeSSH(t *testing.T, script string, s launch.Spec, hosts ...string) (launch.Spec, string) {
	t.Helper()
	count := t.TempDir()
	fake := filepath.Join(t.TempDir(), "fakessh")
	scripttest.Write(t, fake, fmt.Sprintf("while [ $# -gt 2 ]; do shift; done\nhost=$1 count=%s\necho x >> $count/$host\n"+
		"tries=$(wc -l < $count/$host)\n%s\nexec sh -c \"$2\"", count, script))
	s.Hosts, s.Bind, s.SSH = hosts, "127.0.0.1", []string{fake}
	if s.Processes == 0 {
		s.Processes = len(hosts)
	}
	return s, count
}

// tries returns the number of tries for a host.
func tries(t *testing.T, count, host string) int {
	text, err := os.ReadFile(filepath.Join(count, host))
	require.NoError(t, err)
	return strings.Count(string(text), "\n")
}

// TestHostThatTurnsAwayIsTriedAgain prints the messages of ssh for temporary troubles, each from a different host.
func TestHostThatTurnsAwayIsTriedAgain(t *testing.T) {
	t.Parallel()
	messages := []string{
		"kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 10.0.0.1 port 22",
		"kex_exchange_identification: read: Connection reset by peer",
		"ssh: connect to host b port 22: Connection refused",
		"ssh: connect to host b port 22: Connection timed out",
		"ssh: Could not resolve hostname b: Temporary failure in name resolution",
	}
	script, hosts := "says=; case $host in\n", []string{"good"}
	for i, m := range messages {
		hosts = append(hosts, fmt.Sprint("h", i))
		script += fmt.Sprintf("h%d) says='%s';;\n", i, m)
	}
	script += `esac; if [ -n "$says" ] && [ $tries -le 3 ]; then printf "$says\n" >&2; exit 255; fi`
	s, count := byFakeSSH(t, script, launch.Spec{}, hosts...)
	runJob(t, "exchange", s)
	for i, host := range hosts {
		require.Equal(t, map[bool]int{true: 1, false: 4}[i == 0], tries(t, count, host), host)
	}
}

// TestHostThatStaysAwayIsNamed prints the messages of ssh for permanent troubles.
func TestHostThatStaysAwayIsNamed(t *testing.T) {
	for says, advice := range map[string]string{
		"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.":   "`ssh-keygen -R b`",
		"No ED25519 host key is known for b.\nHost key verification failed.":                    "with `ssh b`",
		"me@b: Permission denied (publickey).":                                                  "try `ssh-copy-id b`",
		"Received disconnect: Too many authentication failures\nConnection closed by b port 22": "IdentityFile",
		"ssh: Could not resolve hostname b: Name or service not known":                          "is the name right?",
		"what is this": "try `ssh -o BatchMode=yes b true`",
	} {
		t.Run(advice, func(t *testing.T) {
			t.Parallel()
			s, count := byFakeSSH(t, `if [ $host = b ]; then printf '%s\n' '`+says+`' >&2; exit 255; fi`,
				launch.Spec{}, "a", "b")
			r := startJob(t, "exchange", s)
			result, err := r.wait(t)
			var unreached *launch.UnreachedError
			require.ErrorAs(t, err, &unreached)
			require.Len(t, unreached.Hosts, 1)
			require.Equal(t, "b", unreached.Hosts[0].Host)
			last := says[strings.LastIndex(says, "\n")+1:]
			require.Equal(t, last, unreached.Hosts[0].Says)
			require.ErrorContains(t, err, advice)
			require.Equal(t, 255, result.Status)
			require.Equal(t, 1, tries(t, count, "b"))
			require.Contains(t, r.String(), says) // the whole text
		})
	}
}

// TestHostsThatFail replaces ssh by commands that fail for some hosts, each in a different way.
func TestHostsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		hosts, role, script string
		spec                launch.Spec
		says                []string
		tries               map[string]int
	}{
		"one of many": {"n00 n01 n02 n03 n04 n05 n06 n07 n08 n09", "exchange",
			`if [ $host = n07 ]; then echo 'me@n07: Permission denied (publickey).' >&2; exit 255; fi`, launch.Spec{},
			[]string{`reach hosts: host n07: ssh said "me@n07: Permission denied (publickey).": ` +
				"it lets you in with a key alone: try `ssh-copy-id n07`"}, map[string]int{"n07": 1}},
		"one at once, and one after it": {"b c", "exchange", `case $host in
b) echo 'me@b: Permission denied (publickey).' >&2; exit 255;;
c) while ! [ -e $count/b ]; do sleep 0.01; done; sleep 0.1; echo 'Host key verification failed.' >&2; exit 255;;
esac`, launch.Spec{Grace: testLimit}, []string{"host b: ssh said", "host c: ssh said"}, nil},
		"until the start limit, which comes before the last try": {"a b", "exchange",
			`[ $host = a ] || { echo 'ssh: connect to host b port 22: Connection refused' >&2; exit 255; }`,
			launch.Spec{StartLimit: 2 * time.Second}, []string{"not all processes have joined within 2s",
				`host b: ssh said "ssh: connect to host b port 22: Connection refused"`}, nil},
		// The output announces another try, but no process is started twice.
		"after the script has come": {"a b", "crash:3", `if [ $host = b ]; then
trap : TERM; sh -c "$2"; echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255; fi`,
			launch.Spec{}, []string{"ended with status"}, map[string]int{"b": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, count := byFakeSSH(t, c.script, c.spec, strings.Fields(c.hosts)...)
			_, err := startJob(t, c.role, s).wait(t)
			for _, words := range c.says {
				require.ErrorContains(t, err, words)
			}
			for host, want := range c.tries {
				require.Equal(t, want, tries(t, count, host), host)
			}
		})
	}
}

func TestHostThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for limit := time.Second; ; limit *= 2 { // until process 0 has time to join
		s, count := byFakeSSH(t, `[ $host = a ] || exec sleep 1000`, launch.Spec{StartLimit: limit}, "a", "b", "c")
		_, err := startJob(t, "exchange", s).wait(t)
		if strings.Contains(err.Error(), "missing: process 0") && limit < testLimit {
			continue
		}
		require.ErrorContains(t, err,
			"missing: process 1 (rank 1, host b), process 2 (rank 2, host c); ssh has not got through for 2 of them yet")
		require.Equal(t, 1, tries(t, count, "b"))
		return
	}
}

// TestWhatSSHSaysBeforeTheShell checks that this output is forwarded once the shell runs.
func TestWhatSSHSaysBeforeTheShell(t *testing.T) {
	t.Parallel()
	s, _ := byFakeSSH(t, `printf 'Warning: first\nno newline' >&2`, launch.Spec{Prefix: true}, "a", "b")
	r := runJob(t, "exchange", s)
	require.Contains(t, r.String(), "[1] Warning: first\n")
	require.Contains(t, r.String(), "no newline")
	require.NotContains(t, r.String(), "ready-")
}

// TestSignalsEndALogin sends a signal to the launcher while ssh has not reached its hosts.
func TestSignalsEndALogin(t *testing.T) {
	s, count := byFakeSSH(t, `echo ready $$ >&2; exec sleep 1000`, launch.Spec{}, "a", "b")
	r := startJob(t, "exchange", s)
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(count, "b")); return err == nil }, testLimit,
		time.Millisecond)
	r.cancel(errors.New("enough"))
	_, err := r.wait(t)
	require.EqualError(t, err, "job was ended: enough")
}
