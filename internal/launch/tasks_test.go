package launch_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/launch/pmi/pmitest"
)

// tasks are processes that the test starts in place of another launcher.
type tasks struct {
	role        string
	count       int
	environment func(i int) []string
	files       func(i int) []*os.File // that task i inherits, from descriptor 3 on
}

// ended is how a task has ended.
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
			_ = c.Wait() // its status says it
			all[i] = ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
		})
	}
	running.Wait()
	return all
}

// withoutLaunchers is an environment in which no launcher has left a word.
func withoutLaunchers(vars []string) (kept []string) {
	for _, v := range vars {
		if !strings.HasPrefix(v, "PMI") && !strings.HasPrefix(v, "OMPI") && !strings.HasPrefix(v, "SLURM") && !strings.HasPrefix(v, "JOB_COMPLETION") {
			kept = append(kept, v)
		}
	}
	return kept
}

func requireDone(t *testing.T, all []ended) {
	t.Helper()
	for i, e := range all {
		require.Zero(t, e.status, "task %d: %s", i, e.stderr)
		require.Contains(t, e.stdout, "done", "task %d", i)
	}
}

// inFolder has tasks meet in a folder.
func inFolder(folder string, count int) func(int) []string {
	return func(i int) []string {
		return []string{fmt.Sprintf("PEBBLES_PROCESS=%d", i), fmt.Sprintf("PEBBLES_PROCESSES=%d", count), "PEBBLES_RENDEZVOUS_DIR=" + folder,
			"PEBBLES_BIND=127.0.0.1", "PEBBLES_START_LIMIT=1m"}
	}
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestTasksMeetInAFolder(t *testing.T) {
	folder := t.TempDir()
	requireDone(t, tasks{role: "exchange", count: 5, environment: inFolder(folder, 5)}.run(t))
	requireEmpty(t, folder)
}

// TestTasksOfSlurm and the next have the environment that srun and mpirun make, beside one that they inherit from an allocation.
func TestTasksOfSlurm(t *testing.T) {
	folder := t.TempDir()
	requireDone(t, tasks{role: "exchange", count: 3, environment: func(i int) []string {
		return []string{"SLURM_JOB_ID=77", "SLURM_STEP_ID=2", "SLURM_STEP_NUM_TASKS=3", "SLURM_NTASKS=8", fmt.Sprintf("SLURM_PROCID=%d", i),
			"SLURM_LAUNCH_NODE_IPADDR=127.0.0.1", "SLURM_STEP_NUM_NODES=2", "PEBBLES_RENDEZVOUS_DIR=" + folder}
	}}.run(t))
	requireEmpty(t, folder)
}

func TestTasksOfOpenMPI(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // where tasks of one host meet
	requireDone(t, tasks{role: "exchange", count: 3, environment: func(i int) []string {
		return []string{fmt.Sprintf("OMPI_COMM_WORLD_RANK=%d", i), "OMPI_COMM_WORLD_SIZE=3", "OMPI_COMM_WORLD_LOCAL_SIZE=3", "PMIX_RANK=0", "PMIX_NAMESPACE=1",
			"SLURM_JOB_ID=77", "SLURM_STEP_ID=2", "SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0"} // as of the daemon that mpirun has started by srun
	}}.run(t))
	requireEmpty(t, os.Getenv("TMPDIR"))
}

// atAddresses has tasks meet at addresses that they know.
func atAddresses(t *testing.T, count int, rendezvous string) func(int) []string {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(strings.Repeat("5e", 32)+"\n"), 0o600))
	return func(i int) []string {
		return []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i), fmt.Sprintf("PEBBLES_PROCESSES=%d", count), "PEBBLES_RENDEZVOUS=" + rendezvous,
			"PEBBLES_SECRET_FILE=" + secret, "PEBBLES_START_LIMIT=1m"}
	}
}

func TestTasksMeetAtAddresses(t *testing.T) {
	requireDone(t, tasks{role: "exchange", count: 4, environment: atAddresses(t, 4, fmt.Sprintf("127.0.0.10%%d:%d", freePort(t)))}.run(t))
	requireDone(t, tasks{role: "exchange", count: 4, environment: atAddresses(t, 4, fmt.Sprintf("127.0.0.1:%d", freePort(t)))}.run(t))
}

// pmiTasks connects tasks with a manager, each by a socket that it inherits.
func pmiTasks(t *testing.T, role string, m *pmitest.Manager) tasks {
	return tasks{
		role: role, count: m.Processes,
		environment: func(i int) []string {
			return []string{"PMI_FD=3", fmt.Sprintf("PMI_RANK=%d", i), fmt.Sprintf("PMI_SIZE=%d", m.Processes),
				fmt.Sprintf("MPI_LOCALNRANKS=%d", m.Processes), "PEBBLES_START_LIMIT=1m"}
		},
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

func TestTasksMeetByPMI(t *testing.T) {
	m := &pmitest.Manager{Processes: 5}
	all := pmiTasks(t, "show", m).run(t)
	m.Wait()
	for i, e := range all {
		require.Zero(t, e.status, "task %d: %s", i, e.stderr)
		_, text, ok := strings.Cut(e.stdout, "shown ")
		require.True(t, ok)
		var shown struct {
			Left    int
			Started bool
		}
		require.NoError(t, json.NewDecoder(bufio.NewReader(strings.NewReader(text))).Decode(&shown))
		require.Zero(t, shown.Left, "children must not find the job's variables")
		require.False(t, shown.Started)
	}
	require.Contains(t, m.Put(), "pebbles-4=pebbles-1,")
}

// TestTasksThatCannotStart wants a sentence from each fault, a status that is not 0 of every task, and no file left behind.
func TestTasksThatCannotStart(t *testing.T) {
	soon := func(environment func(int) []string) func(int) []string {
		return func(i int) []string { return append(environment(i), "PEBBLES_START_LIMIT=5s") }
	}
	var folders []string
	folder := func() string {
		folders = append(folders, t.TempDir())
		return folders[len(folders)-1]
	}
	port, missing, first, few := freePort(t), folder(), folder(), folder()
	twice, again := atAddresses(t, 4, fmt.Sprintf("127.0.0.1:%d", port)), atAddresses(t, 4, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	t.Cleanup(func() {
		for _, f := range folders {
			requireEmpty(t, f)
		}
	})
	for _, c := range []struct {
		name  string
		tasks tasks
		who   int
		says  string
	}{
		{"a missing task", tasks{role: "exchange", count: 3, environment: soon(inFolder(missing, 4))}, 0,
			"3 did not come to process 0 at 127.0.0.1:"},
		{"the first is missing", tasks{role: "exchange", count: 2, environment: soon(func(i int) []string { return inFolder(first, 3)(i + 1) })}, 1,
			"reach process 0: the job has not started within 5s: wait for " + first + "/pebbles-job.0"},
		{"two first ones", tasks{role: "exchange", count: 4, environment: soon(func(i int) []string { return twice(max(0, i-1)) })}, -1,
			fmt.Sprintf("port %d is in use", port)},
		{"two of one number", tasks{role: "exchange", count: 4, environment: soon(func(i int) []string { return again(min(i, 2)) })}, 0,
			"two processes have number 2"},
		{"a folder that is not there", tasks{role: "exchange", count: 2, environment: inFolder(filepath.Join(folder(), "none"), 2)}, 1,
			"no such file or directory; name a folder that all hosts share and this user may write to, by PEBBLES_RENDEZVOUS_DIR"},
		{"no way to meet", tasks{role: "exchange", count: 2, environment: func(i int) []string {
			return []string{fmt.Sprintf("PEBBLES_PROCESS=%d", i), "PEBBLES_PROCESSES=2"}
		}}, 0, "PEBBLES_PROCESSES=2, so the processes must find each other: set one of PEBBLES_RENDEZVOUS"},
		{"no secret", tasks{role: "exchange", count: 2, environment: func(i int) []string {
			return []string{fmt.Sprintf("PEBBLES_PROCESS=%d", i), "PEBBLES_PROCESSES=2", "PEBBLES_RENDEZVOUS=127.0.0.1:7"}
		}}, 0, "needs a secret: set PEBBLES_SECRET_FILE to a file of mode 0600"},
		{"no count", tasks{role: "exchange", count: 1, environment: func(int) []string { return []string{"JOB_COMPLETION_INDEX=0"} }}, 0,
			"an Indexed Job of Kubernetes has started this process with JOB_COMPLETION_INDEX=0, and PEBBLES_PROCESSES does not say how many there are"},
		{"PMIx alone", tasks{role: "exchange", count: 1, environment: func(int) []string { return []string{"PMIX_RANK=0", "PMIX_NAMESPACE=x"} }}, 0,
			"a launcher that speaks PMIx alone has started this process (PMIX_RANK=0), and this program does not: start it by"},
		{"a number that cannot be", tasks{role: "exchange", count: 1, environment: func(int) []string {
			return []string{"OMPI_COMM_WORLD_RANK=7", "OMPI_COMM_WORLD_SIZE=4"}
		}}, 0, `mpirun of Open MPI seems to have started this process, but OMPI_COMM_WORLD_RANK="7" is not a number from 0 to 3`},
		{"a descriptor that is closed", tasks{role: "exchange", count: 1, environment: func(int) []string {
			return []string{"PMI_FD=9", "PMI_RANK=0", "PMI_SIZE=4", "MPI_LOCALNRANKS=4"}
		}}, 0, "PMI_FD=9 is not an open socket"},
		{"too few ranks", tasks{role: "exchange", count: 4, environment: func(i int) []string {
			return append(inFolder(few, 4)(i), "PEBBLES_RANKS=3")
		}}, 0, `PEBBLES_RANKS="3" is not a number from 4`},
		{"a name that nobody has", tasks{role: "exchange", count: 2, environment: soon(atAddresses(t, 2, "nobody-%d.invalid:7"))}, 1,
			`find host "nobody-1.invalid": not known within 5s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := c.tasks.run(t)
			var said strings.Builder
			for i, e := range all {
				require.NotZero(t, e.status, "task %d", i)
				if c.who < 0 || c.who == i {
					said.WriteString(e.stderr)
				}
			}
			require.Contains(t, said.String(), c.says)
		})
	}
}

// TestStaleCard has a card that a job has left which was killed.
func TestStaleCard(t *testing.T) {
	folder := t.TempDir()
	stale := filepath.Join(folder, "pebbles-job.1")
	require.NoError(t, os.WriteFile(stale, []byte("pebbles-1,AAAA,127.0.0.1:1\n"), 0o600))
	environment := func(i int) []string { return append(inFolder(folder, 2)(i), "PEBBLES_START_LIMIT=2s") }
	all := tasks{role: "exchange", count: 2, environment: environment}.run(t)
	require.Contains(t, all[1].stderr, stale+" is there already: two processes have number 1, or a job of the same name was killed (then remove the file)")
	require.Equal(t, launch.ExitError, all[1].status)
	require.NotZero(t, all[0].status)
}

// TestPMIClosesInMidExchange has the launcher close the connection of one task, or of all, before the barrier ends.
func TestPMIClosesInMidExchange(t *testing.T) {
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

// TestTaskFails has one task fail; the others end because of it, and say so by their status.
func TestTaskFails(t *testing.T) {
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

// TestTwoJobsOnOneHost starts two jobs of Slurm at the same time, in one folder.
func TestTwoJobsOnOneHost(t *testing.T) {
	folder := t.TempDir()
	requireDone(t, tasks{role: "exchange", count: 8, environment: func(i int) []string {
		return []string{fmt.Sprintf("SLURM_JOB_ID=%d", 100+i%2), "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=4", fmt.Sprintf("SLURM_PROCID=%d", i/2),
			"SLURM_STEP_NUM_NODES=1", "PEBBLES_RENDEZVOUS_DIR=" + folder, "PEBBLES_START_LIMIT=1m"}
	}}.run(t))
	requireEmpty(t, folder)
}

// TestTaskHidesTheSecret searches what tasks leave for others to read.
func TestTaskHidesTheSecret(t *testing.T) {
	folder := t.TempDir()
	secret := strings.Repeat("5e", 32)
	address := atAddresses(t, 3, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	all := tasks{role: "environment-joined", count: 3, environment: func(i int) []string { return address(i) }}.run(t)
	for i, e := range all {
		require.Zero(t, e.status, "task %d: %s", i, e.stderr)
		require.NotContains(t, e.stdout+e.stderr, secret)
		require.Contains(t, e.stdout, "cmdline")
	}
	requireEmpty(t, folder)
}
