package launch_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

const sshdPath = "/usr/sbin/sshd"

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
	config := write("sshd_config", "ListenAddress 127.0.0.1:%d\nHostKey %s\nPidFile none\nUsePAM no\nStrictModes no\n"+
		"AuthorizedKeysFile %s\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 10:100:10\n"+
		"SetEnv HOME=%s\n", // or else shells read what this user has in .bashrc, which may wait for locks
		port, host, write("authorized", "%s", public), t.TempDir())
	runSSHD(t, config)
	me, err := user.Current()
	require.NoError(t, err)
	client := write("ssh_config", "Host *\nHostName 127.0.0.1\nPort %d\nUser %s\nIdentityFile %s\nIdentitiesOnly yes\n"+
		"HostKeyAlias here\nUserKnownHostsFile %s\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n",
		port, me.Username, login, write("known", "here %s", known))
	return []string{"ssh", "-F", client}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
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
	ssh := startSSHD(t)
	hosts := func(s launch.Spec) launch.Spec {
		s.Hosts, s.Bind, s.Prefix, s.SSH = []string{"north", "south"}, "127.0.0.1", true, ssh
		return s
	}
	t.Run("job", func(t *testing.T) {
		dir := t.TempDir()
		shown := append([]string{}, nasty...)
		shown[10] = "é\ufffd\t\r"
		r := begin(t, "show", hosts(launch.Spec{Processes: 2, Program: nasty, Dir: dir, Env: []string{"EXTRA=a b"}}))
		result, err := r.end(t)
		lines, _ := r.look()
		require.NoError(t, err, lines)
		require.Equal(t, "north", result.Outcomes[0].Host)
		require.Equal(t, "south", result.Outcomes[1].Host)
		requireShown(t, r, shown, dir)
	})
	t.Run("more processes than sshd lets in at once", func(t *testing.T) {
		s := hosts(launch.Spec{Processes: 12, StartLimit: 5 * time.Minute})
		s.Hosts = s.Hosts[:1]
		r := begin(t, "exchange", s)
		_, err := r.end(t)
		lines, _ := r.look()
		require.NoError(t, err, lines)
	})
	t.Run("killed process", func(t *testing.T) {
		r := begin(t, "wait", hosts(launch.Spec{Processes: 4}))
		r.find(t, "ready", 4)
		require.NoError(t, syscall.Kill(number(r.find(t, "[2] ready", 1)[0]), syscall.SIGKILL))
		_, err := r.end(t)
		require.EqualError(t, err, "process 2 (rank 2, host south) ended with status 137 (signal 9, killed) first; the other 3 ended with it")
	})
	t.Run("signal", func(t *testing.T) {
		r := begin(t, "grandchild", hosts(launch.Spec{Processes: 2}))
		r.find(t, "grandchild", 2)
		r.cancel(errors.New("enough"))
		result, err := r.end(t)
		require.EqualError(t, err, "job was ended: enough")
		requireSignalled(t, result, 143)
	})
	t.Run("left behind", func(t *testing.T) {
		r := begin(t, "leave", hosts(launch.Spec{Processes: 2}))
		r.find(t, "grandchild", 2)
		_, err := r.end(t) // looks for them
		require.NoError(t, err)
	})
	t.Run("lost launcher", func(t *testing.T) {
		cmd, out := child(t, "never", "LAUNCH_TEST_REMOTE="+strings.Join(ssh, " "))
		pids := out.pids(t, "ready", 2)
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		for _, pid := range pids {
			awaitGone(t, pid)
		}
	})
	t.Run("host that can't be reached", func(t *testing.T) {
		s := hosts(launch.Spec{Processes: 2})
		s.SSH, s.StartLimit = append(append([]string{}, ssh...), "-p", itoa(freePort(t))), time.Second
		_, err := begin(t, "exchange", s).end(t)
		require.ErrorContains(t, err, "Connection refused")
		require.ErrorContains(t, err, "does sshd run there, at this port?")
	})
	t.Run("host with another key", func(t *testing.T) {
		s := hosts(launch.Spec{Processes: 2})
		s.SSH = append(append([]string{}, ssh...), "-o", "HostKeyAlias=other")
		_, err := begin(t, "exchange", s).end(t)
		require.ErrorContains(t, err, `host north: ssh said "Host key verification failed.": its key is not known here`)
	})
	t.Run("more hosts than sshd lets in at once", func(t *testing.T) { // they are one host, which turns some away
		s := hosts(launch.Spec{Processes: 24, StartLimit: 5 * time.Minute})
		s.Hosts = nil
		for i := range s.Processes {
			s.Hosts = append(s.Hosts, "north"+itoa(i))
		}
		r := begin(t, "exchange", s)
		_, err := r.end(t)
		lines, _ := r.look()
		require.NoError(t, err, lines)
	})
}
