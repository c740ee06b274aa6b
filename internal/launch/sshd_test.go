package launch_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

const (
	sshdPath     = "/usr/sbin/sshd"
	loginsAtOnce = 10 // logins that the server admits
)

// startSSHD runs Debian's sshd on a loopback port and returns the command that reaches it.
func startSSHD(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(sshdPath); err != nil {
		require.NotEqual(t, "1", os.Getenv("PEBBLES_REQUIRE_SSHD"), "%s is required: %v", sshdPath, err)
		t.Skipf("no %s here: install openssh-server and openssh-client to run this test", sshdPath)
	}
	dir := t.TempDir()
	key := func(name string) string {
		file := filepath.Join(dir, name)
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput()
		require.NoError(t, err, string(out))
		return file
	}
	write := func(name, format string, args ...any) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, format, args...), 0o600))
		return file
	}
	host, login := key("host"), key("login")
	public, err := os.ReadFile(login + ".pub")
	require.NoError(t, err)
	known, err := os.ReadFile(host + ".pub")
	require.NoError(t, err)
	port := freePort(t)
	if os.Geteuid() == 0 {
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755)) // sshd insists on it
	}
	config := write("sshd_config",
		"ListenAddress 127.0.0.1:%[1]d\nHostKey %[2]s\nPidFile none\nUsePAM no\nStrictModes no\nAuthorizedKeysFile "+
			"%[3]s\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups %[5]d:100:%[5]d\nSetEnv "+
			"HOME=%[4]s\n", // otherwise shells read this user's .bashrc, which may wait for locks
		port, host, write("authorized", "%s", public), t.TempDir(), loginsAtOnce)
	runSSHD(t, config)
	me, err := user.Current()
	require.NoError(t, err)
	client := write("ssh_config", "Host *\nHostName 127.0.0.1\nPort %d\nUser %s\nIdentityFile %s\nIdentitiesOnly yes\n"+
		"HostKeyAlias here\nUserKnownHostsFile %s\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n",
		port, me.Username, login, write("known", "here %s", known))
	return []string{"ssh", "-F", client}
}

// ports counts the ports that freePort has looked at.
var ports atomic.Uint32

// freePort returns a port on which nothing listens, and for which no other test of this process has asked. It is below
// those that the system gives to programs that ask for any: they would take it before it is listened on.
func freePort(t *testing.T) int {
	const first, count, each = 20_000, 12_000, 32
	for range count {
		port := first + (os.Getpid()*each+int(ports.Add(1)))%count
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
	require.Fail(t, "no port is free", "%d to %d", first, first+count-1)
	return 0
}

// runSSHD returns when the server listens, and ends it with the test.
func runSSHD(t *testing.T, config string) {
	cmd := exec.Command(sshdPath, "-D", "-e", "-f", config)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = w
	require.NoError(t, cmd.Start())
	w.Close()
	ready, ended := make(chan struct{}), make(chan struct{})
	var log []string
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			log = append(log, lines.Text())
			if strings.Contains(lines.Text(), "Server listening") {
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		await(t, ended)
		r.Close()
		if t.Failed() {
			t.Log(strings.Join(log, "\n"))
		}
	})
	select {
	case <-ready:
	case <-ended:
		require.Fail(t, "sshd has ended", strings.Join(log, "\n"))
	}
}

func TestRealSSH(t *testing.T) {
	t.Parallel()
	ssh := startSSHD(t)
	p := place{ssh}
	testAll(t, p)
	t.Run("more processes than sshd lets in at once", func(t *testing.T) {
		s := p.spec(launch.Spec{Processes: loginsAtOnce + 2, StartLimit: 5 * time.Minute})
		s.Hosts = s.Hosts[:1]
		runJob(t, "exchange", s)
	})
	t.Run("more hosts than sshd lets in at once", func(t *testing.T) { // all are one host, which refuses some
		s := p.spec(launch.Spec{Processes: loginsAtOnce + 4, StartLimit: 5 * time.Minute})
		s.Hosts = nil
		for i := range s.Processes {
			s.Hosts = append(s.Hosts, fmt.Sprint("north", i))
		}
		runJob(t, "exchange", s)
	})
	t.Run("host that can't be reached", func(t *testing.T) {
		s := p.spec(launch.Spec{Processes: 2, StartLimit: time.Second})
		s.SSH = append(slices.Clone(ssh), "-p", fmt.Sprint(freePort(t)))
		_, err := startJob(t, "exchange", s).wait(t)
		require.ErrorContains(t, err, "Connection refused")
		require.ErrorContains(t, err, "does sshd run there, at this port?")
	})
	t.Run("host with another key", func(t *testing.T) {
		s := p.spec(launch.Spec{Processes: 2})
		s.SSH = append(slices.Clone(ssh), "-o", "HostKeyAlias=other")
		_, err := startJob(t, "exchange", s).wait(t)
		require.ErrorContains(t, err, `host north: ssh said "Host key verification failed.": its key is not known here`)
	})
}
