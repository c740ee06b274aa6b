package launch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

func goodVariables() map[string]string {
	return map[string]string{varJob: "j", varProcess: "1", varProcesses: "2", varRanks: "4", varLauncher: "127.0.0.1:1",
		varSecretFD: "3"}
}

func TestEnvironmentRoundTrip(t *testing.T) {
	e := environment{job: "j", process: 1, processes: 2, ranks: 4, launcher: "h:1", bind: "lo",
		startLimit: 90 * time.Second, silenceLimit: time.Hour, transport: "shm"}
	values := map[string]string{}
	for _, v := range e.list(3) {
		name, value, _ := strings.Cut(v, "=")
		require.True(t, isVariable(name), name)
		values[name] = value
	}
	again, err := parseEnvironment(values)
	require.NoError(t, err)
	require.Equal(t, e, again)
}

func TestLimitsOfTheUser(t *testing.T) {
	spec := Spec{Processes: 1, Program: []string{os.Args[0]}}
	limits := func(start, silence time.Duration) {
		t.Helper()
		s, err := spec.complete()
		require.NoError(t, err)
		require.Equal(t, []time.Duration{start, silence}, []time.Duration{s.StartLimit, s.SilenceLimit})
	}
	limits(30*time.Second, 10*time.Second)
	t.Setenv(varStartLimit, "2m")
	t.Setenv(varSilence, "1h")
	limits(2*time.Minute, time.Hour)
	spec.StartLimit, spec.SilenceLimit = time.Second, time.Minute
	limits(time.Second, time.Minute)

	spec.SilenceLimit = time.Millisecond
	_, err := spec.complete()
	require.ErrorContains(t, err, "a silence limit of 1ms is too short, the least is 1s")
	t.Setenv(varSilence, "never")
	_, err = spec.complete()
	require.ErrorContains(t, err, `PEBBLES_SILENCE_LIMIT="never" is not a time such as 30s`)
}

// A job has the ranks of a program that runs alone, and at least one per process.
func TestRanksByDefault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	for processes, ranks := range map[int]int{1: 7, 2: 6, 4: 4, 9: 9} {
		s, err := (Spec{Processes: processes, Program: []string{os.Args[0]}}).complete()
		require.NoError(t, err)
		require.Equal(t, ranks, s.Ranks)
	}
	s, err := (Spec{Processes: 2, Hosts: []string{"a", "b"}, Bind: "127.0.0.1", Program: []string{os.Args[0]}}).complete()
	require.NoError(t, err)
	require.Equal(t, 2, s.Ranks, "the cores of other hosts are not known")
}

func TestJoinTakesTheVariables(t *testing.T) {
	defer joined.Store(joined.Swap(0))
	_, err := Join(t.Context(), Options{})
	require.ErrorIs(t, err, errNotStarted)
	for name, value := range goodVariables() {
		t.Setenv(name, value)
	}
	t.Setenv(varProcess, "x")
	require.True(t, Started(false))
	_, err = Join(t.Context(), Options{})
	require.ErrorContains(t, err, `join job: read the environment of the job: PEBBLES_PROCESS="x"`)
	require.False(t, Started(false))
	require.Empty(t, os.Getenv(varSecretFD))
	_, err = Join(t.Context(), Options{})
	require.ErrorIs(t, err, ErrJoinedBefore)
}

func TestJobInAJobHasItsOwnVariables(t *testing.T) {
	require.Equal(t, []string{"A=1", "PEBBLES_DATA=x"},
		withoutJob([]string{"A=1", varJob + "=j", "PEBBLES_DATA=x", varSecretFile + "="}))
}

func TestSecretByDescriptor(t *testing.T) {
	secret := bootstrap.NewJob(nil).Secret
	r, err := secretPipe(secret)
	require.NoError(t, err)
	defer r.Close()
	copied := duplicate(t, r)
	read, err := readSecret(copied, time.Minute)
	require.NoError(t, err)
	require.Equal(t, secret, read)

	_, err = readSecret(duplicate(t, r), time.Minute) // it can be read once
	require.Error(t, err)

	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	_, err = readSecret(duplicate(t, r), time.Millisecond) // nothing comes
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	_, err = readSecret(1_000_000, time.Minute)
	require.Error(t, err)
}

func TestSecretByFile(t *testing.T) {
	secret := bootstrap.NewJob(nil).Secret
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(formatSecret(secret)), 0o600))
	read, err := readSecretFile(file)
	require.NoError(t, err)
	require.Equal(t, secret, read)

	require.NoError(t, os.Chmod(file, 0o604))
	_, err = readSecretFile(file)
	require.ErrorContains(t, err, "has mode 0604, others may use it: run chmod 600")
	require.NoError(t, os.Chmod(file, 0o600))

	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(file, 1234, -1))
		_, err = readSecretFile(file)
		require.ErrorContains(t, err, "belongs to user 1234, this process runs as user 0")
	}
	_, err = readSecretFile(filepath.Dir(file))
	require.ErrorContains(t, err, "not a regular file")
}

// TestSecretOfKubernetes uses a file as Kubernetes mounts it: behind two links, owned by root, and readable by a group
// of the pod's user.
func TestSecretOfKubernetes(t *testing.T) {
	secret := bootstrap.NewJob(nil).Secret
	dir := t.TempDir()
	file := filepath.Join(dir, "..2026_07_01", "secret")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o750))
	require.NoError(t, os.WriteFile(file, []byte(formatSecret(secret)), 0o600))
	require.NoError(t, os.Symlink("..2026_07_01", filepath.Join(dir, "..data")))
	link := filepath.Join(dir, "secret")
	require.NoError(t, os.Symlink("..data/secret", link))
	read, err := readSecretFile(link)
	require.NoError(t, err)
	require.Equal(t, secret, read)

	require.NoError(t, os.Chmod(file, 0o444))
	_, err = readSecretFile(link)
	require.ErrorContains(t, err, link+" has mode 0444, others may use it: run chmod 600")

	require.NoError(t, os.Chmod(file, 0o440))
	read, err = readSecretFile(link)
	if os.Geteuid() != 0 { // only the owner may read its file
		require.ErrorContains(t, err, "has mode 0440")
		return
	}
	require.NoError(t, err)
	require.Equal(t, secret, read)
	require.NoError(t, os.Chown(file, 0, 4321)) // not a group of this user
	_, err = readSecretFile(link)
	require.ErrorContains(t, err, "has mode 0440")
}

func FuzzParse(f *testing.F) {
	f.Add("j", "1", "2", "4", "h:1", "30s")
	f.Add("", "-1", "99999999999999999999", "x", "", "1h1")
	f.Fuzz(func(t *testing.T, job, process, processes, ranks, launcher, limit string) {
		values := goodVariables()
		maps.Copy(values, map[string]string{
			varJob: job, varProcess: process, varProcesses: processes, varRanks: ranks, varLauncher: launcher,
			varStartLimit: limit,
		})
		if e, err := parseEnvironment(values); err == nil {
			require.True(t, 0 <= e.process && e.process < e.processes && e.processes <= e.ranks && e.startLimit > 0)
		}
	})
}

func TestStatusOf(t *testing.T) {
	require.Zero(t, StatusOf(nil))
	require.Equal(t, ExitError, StatusOf(errors.New("x")))
	require.Equal(t, ExitFollower, StatusOf(errors.Join(errors.New("x"), ErrLauncherGone)))
	require.Equal(t, ExitFollower, StatusOf(ErrElsewhere))
	require.Equal(t, 7, StatusOf(&FailedError{First: Outcome{Status: 7}}))
	require.Equal(t, ExitError, StatusOf(&FailedError{}))
}

func duplicate(t *testing.T, f *os.File) int {
	t.Helper()
	n, err := syscall.Dup(int(f.Fd()))
	require.NoError(t, err)
	return n
}
