package launch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/launch/pmi/pmitest"
)

// tasks are processes that the test starts in the role of another launcher.
type tasks struct {
	role        string
	count       int
	environment func(i int) []string
	files       func(i int) []*os.File // inherited by task i, from descriptor 3 on
}

// ended is the end of a task.
type ended struct {
	status         int
	stdout, stderr string
}

// run returns when all tasks have ended.
func (ts tasks) run(t *testing.T) []ended {
	t.Helper()
	all := make([]ended, ts.count)
	var running sync.WaitGroup
	for i := range ts.count {
		c := exec.CommandContext(t.Context(), executable())
		c.Env = append(withoutLaunchers(os.Environ()), roleVariable+"="+ts.role)
		c.Env = append(c.Env, ts.environment(i)...)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if ts.files != nil {
			c.ExtraFiles = ts.files(i)
		}
		require.NoError(t, c.Start())
		for _, f := range c.ExtraFiles {
			f.Close()
		}
		running.Go(func() {
			_ = c.Wait() // the status has the result
			all[i] = ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
		})
	}
	running.Wait()
	return all
}

// withoutLaunchers removes the variables of all launchers from an environment.
func withoutLaunchers(vars []string) (kept []string) {
	for _, v := range vars {
		others := []string{"PMI", "OMPI", "SLURM", "JOB_COMPLETION"}
		if !slices.ContainsFunc(others, func(prefix string) bool { return strings.HasPrefix(v, prefix) }) {
			kept = append(kept, v)
		}
	}
	return kept
}

// inFolder makes tasks find each other through a folder.
func inFolder(folder string, count int) func(int) []string {
	return fixed("PEBBLES_PROCESS", fmt.Sprintf("PEBBLES_PROCESSES=%d", count), "PEBBLES_RENDEZVOUS_DIR="+folder,
		"PEBBLES_BIND=127.0.0.1", "PEBBLES_START_LIMIT=1m")
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestTasksThatFindEachOther sets the environment of srun and mpirun, and one that tasks inherit from an allocation or
// from a daemon that mpirun has started by srun. Two jobs of Slurm start in one folder at the same time.
func TestTasksThatFindEachOther(t *testing.T) {
	folder, temporary := t.TempDir(), t.TempDir()
	inTemporary := "TMPDIR=" + temporary // tasks of one host publish their addresses here
	for name, c := range map[string]tasks{
		"in a folder": {count: 3, environment: inFolder(folder, 3)},
		"of Slurm": {count: 3, environment: fixed("SLURM_PROCID", "SLURM_JOB_ID=77", "SLURM_STEP_ID=2",
			"SLURM_STEP_NUM_TASKS=3", "SLURM_NTASKS=8", "SLURM_LAUNCH_NODE_IPADDR=127.0.0.1", "SLURM_STEP_NUM_NODES=2",
			"PEBBLES_RENDEZVOUS_DIR="+folder)},
		"of two jobs of Slurm": {count: 4, environment: func(i int) []string {
			return fixed("SLURM_PROCID", fmt.Sprint("SLURM_JOB_ID=", 100+i%2), "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2",
				"SLURM_STEP_NUM_NODES=1", "PEBBLES_RENDEZVOUS_DIR="+folder, "PEBBLES_START_LIMIT=1m")(i / 2)
		}},
		"of Open MPI": {count: 3, environment: fixed("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE=3",
			"OMPI_COMM_WORLD_LOCAL_SIZE=3", "PMIX_RANK=0", "PMIX_NAMESPACE=1", "SLURM_JOB_ID=77", "SLURM_STEP_ID=2",
			"SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0", inTemporary)},
		"at addresses":   {count: 3, environment: atAddresses(t, 3, fmt.Sprintf("127.0.0.10%%d:%d", freePort(t)))},
		"at one address": {count: 3, environment: atAddresses(t, 3, fmt.Sprintf("127.0.0.1:%d", freePort(t)))},
	} {
		t.Run(name, func(t *testing.T) {
			c.role = "exchange"
			for i, e := range c.run(t) {
				require.Zero(t, e.status, "task %d: %s", i, e.stderr)
				require.Contains(t, e.stdout, "done", "task %d", i)
			}
			requireEmpty(t, folder)
			requireEmpty(t, temporary)
		})
	}
}

// atAddresses makes tasks find each other at known addresses.
func atAddresses(t *testing.T, count int, rendezvous string) func(int) []string {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(strings.Repeat("5e", 32)+"\n"), 0o600))
	return fixed("JOB_COMPLETION_INDEX", fmt.Sprintf("PEBBLES_PROCESSES=%d", count), "PEBBLES_RENDEZVOUS="+rendezvous,
		"PEBBLES_SECRET_FILE="+secret, "PEBBLES_START_LIMIT=1m")
}

// pmiTasks connects tasks with a manager, each through an inherited socket.
func pmiTasks(t *testing.T, role string, m *pmitest.Manager) tasks {
	return tasks{
		role: role, count: m.Processes,
		environment: fixed("PMI_RANK", "PMI_FD=3", fmt.Sprintf("PMI_SIZE=%d", m.Processes),
			fmt.Sprintf("MPI_LOCALNRANKS=%d", m.Processes), "PEBBLES_START_LIMIT=1m"),
		files: func(i int) []*os.File {
			syscall.ForkLock.RLock()
			pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err == nil {
				syscall.CloseOnExec(pair[0])
				syscall.CloseOnExec(pair[1])
			}
			syscall.ForkLock.RUnlock()
			require.NoError(t, err)
			ours := os.NewFile(uintptr(pair[0]), "manager")
			defer ours.Close()
			conn, err := net.FileConn(ours)
			require.NoError(t, err)
			near := m.Connect(i)
			go func() {
				io.Copy(near, conn)
				near.Close()
			}()
			go func() {
				io.Copy(conn, near)
				conn.Close()
			}()
			return []*os.File{os.NewFile(uintptr(pair[1]), "task")}
		},
	}
}

func TestTasksByPMI(t *testing.T) {
	t.Parallel()
	m := &pmitest.Manager{Processes: 3}
	all := pmiTasks(t, "show", m).run(t)
	m.Wait()
	for i, e := range all {
		require.Zero(t, e.status, "task %d: %s", i, e.stderr)
		_, text, ok := strings.Cut(e.stdout, "shown ")
		require.True(t, ok)
		var s shown
		require.NoError(t, json.NewDecoder(strings.NewReader(text)).Decode(&s))
		require.Zero(t, s.Left, "children must not find the job's variables")
		require.False(t, s.Started)
	}
	require.Contains(t, m.Put(), "pebbles-2=pebbles-1,")
}

// fixed returns the same environment for all tasks, except for their number, which has its own variable.
func fixed(number string, others ...string) func(int) []string {
	return func(i int) []string { return append([]string{fmt.Sprint(number, "=", i)}, others...) }
}

// TestTasksThatCannotStart requires one sentence for each fault, a nonzero status of every task, and no file left.
func TestTasksThatCannotStart(t *testing.T) {
	within := func(limit string, environment func(int) []string) func(int) []string {
		return func(i int) []string { return append(environment(i), "PEBBLES_START_LIMIT="+limit) }
	}
	folders := map[string]string{}
	for _, name := range []string{"missing", "first", "few", "stale", "none"} {
		folders[name] = t.TempDir()
	}
	stale := filepath.Join(folders["stale"], "pebbles-job.1") // of a job that was killed
	require.NoError(t, os.WriteFile(stale, []byte("pebbles-1,AAAA,127.0.0.1:1\n"), 0o600))
	t.Cleanup(func() {
		require.NoError(t, os.Remove(stale))
		for _, f := range folders {
			requireEmpty(t, f)
		}
	})
	port := freePort(t)
	twice := atAddresses(t, 4, fmt.Sprintf("127.0.0.1:%d", port))
	again := atAddresses(t, 4, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	for _, c := range []struct {
		name        string
		count       int
		environment func(int) []string
		who         int // number of the task that reports it; -1 is any
		says        string
	}{
		{"a missing task", 3, within("2s", inFolder(folders["missing"], 4)), 0, "3 did not come to process 0 at 127.0.0.1:"},
		{"the first is missing", 2, within("2s", func(i int) []string { return inFolder(folders["first"], 3)(i + 1) }), 1,
			"reach process 0: the job has not started within 2s: wait for " + folders["first"] + "/pebbles-job.0"},
		{"two first ones", 3, within("2s", func(i int) []string { return twice(max(0, i-1)) }), -1,
			fmt.Sprintf("port %d is in use", port)},
		{"two of one number", 4, within("5s", func(i int) []string { return again(min(i, 2)) }), 0,
			"two processes have number 2"},
		{"a number that another job has left", 2, within("2s", inFolder(folders["stale"], 2)), 1,
			stale + " is there already: two processes have number 1, or a job of the same name was killed (then remove the " +
				"file)"},
		{"a folder that is not there", 2, inFolder(filepath.Join(folders["none"], "none"), 2), 1,
			"no such file or directory; name a folder that all hosts share and this user may write to, by " +
				"PEBBLES_RENDEZVOUS_DIR"},
		{"no rendezvous", 2, fixed("PEBBLES_PROCESS", "PEBBLES_PROCESSES=2"), 0,
			"PEBBLES_PROCESSES=2, so the processes must find each other: set one of PEBBLES_RENDEZVOUS"},
		{"no secret", 2, fixed("PEBBLES_PROCESS", "PEBBLES_PROCESSES=2", "PEBBLES_RENDEZVOUS=127.0.0.1:7"), 0,
			"needs a secret: set PEBBLES_SECRET_FILE to a file of mode 0600"},
		{"no count", 1, fixed("JOB_COMPLETION_INDEX"), 0,
			"an Indexed Job of Kubernetes has started this process with JOB_COMPLETION_INDEX=0, and PEBBLES_PROCESSES does " +
				"not say how many there are"},
		{"PMIx alone", 1, fixed("PMIX_RANK", "PMIX_NAMESPACE=x"), 0,
			"a launcher that speaks PMIx alone has started this process (PMIX_RANK=0), and this program does not: start it by"},
		{"a number that cannot be", 1, fixed("SOMETHING", "OMPI_COMM_WORLD_RANK=7", "OMPI_COMM_WORLD_SIZE=4"), 0,
			`mpirun of Open MPI seems to have started this process, but OMPI_COMM_WORLD_RANK="7" is not a number from 0 to 3`},
		{"a descriptor that is closed", 1, fixed("PMI_RANK", "PMI_FD=987", "PMI_SIZE=4", "MPI_LOCALNRANKS=4"), 0,
			"PMI_FD=987 is not an open socket"},
		{"too few ranks", 1, func(i int) []string { return append(inFolder(folders["few"], 4)(i), "PEBBLES_RANKS=3") }, 0,
			`PEBBLES_RANKS="3" is not a number from 4`},
		{"a name that nobody has", 2, within("2s", atAddresses(t, 2, "nobody-%d.invalid:7")), 1,
			`find host "nobody-1.invalid": not known within 2s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := tasks{role: "exchange", count: c.count, environment: c.environment}.run(t)
			var says strings.Builder
			for i, e := range all {
				require.NotZero(t, e.status, "task %d", i)
				if c.who < 0 || c.who == i {
					says.WriteString(e.stderr)
				}
			}
			require.Contains(t, says.String(), c.says)
		})
	}
}

// TestPMIClosesInMidExchange makes the launcher close the connection of one task, or of all, before the barrier ends.
func TestPMIClosesInMidExchange(t *testing.T) {
	t.Parallel()
	m := &pmitest.Manager{Processes: 2, Answer: func(_ int, request, answer string) string {
		if request == "cmd=barrier_in" {
			return ""
		}
		return answer
	}}
	for i, e := range pmiTasks(t, "exchange", m).run(t) {
		require.Equal(t, launch.ExitError, e.status)
		require.Contains(t, e.stderr, "wait for all processes by PMI: the launcher has closed the connection", "task %d", i)
		require.Equal(t, 1, strings.Count(e.stderr, "\n"), "one sentence: %s", e.stderr)
	}
	m.Wait()
}

// TestTaskFails has one failing task; the others end because of it, with the status of followers.
func TestTaskFails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	all := tasks{role: "fail:1:7", count: 3, environment: inFolder(folder, 3)}.run(t)
	for i, e := range all {
		want := launch.ExitFollower
		if i == 1 {
			want = 7
		}
		require.Equal(t, want, e.status, "task %d: %s", i, e.stderr)
	}
}

// TestTaskHidesTheSecret searches everything that tasks leave readable for others.
func TestTaskHidesTheSecret(t *testing.T) {
	environment := atAddresses(t, 3, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	for i, e := range (tasks{role: "environment-joined", count: 3, environment: environment}).run(t) {
		require.Zero(t, e.status, "task %d: %s", i, e.stderr)
		require.NotContains(t, e.stdout+e.stderr, strings.Repeat("5e", 32))
		require.Contains(t, e.stdout, "cmdline")
	}
}
