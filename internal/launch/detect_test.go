package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

// setOnly leaves the process with no variable of a launcher but those given as NAME=value.
func setOnly(t *testing.T, settings ...string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "PMI") || strings.HasPrefix(name, "OMPI_") || strings.HasPrefix(name, "SLURM_") ||
			name == varIndex ||
			slices.Contains(variables, name) || name == varAlone || name == varRendezvous || name == varRendezvousDir {
			t.Setenv(name, "") // restores it
			os.Unsetenv(name)
		}
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		t.Setenv(name, value)
	}
}

const byPMI = "PMI_FD=8 PMI_RANK=1 PMI_SIZE=4"

func TestDetection(t *testing.T) {
	defer joined.Store(joined.Swap(0))
	const slurm = " SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 SLURM_STEP_NUM_NODES=2 " +
		"SLURM_LAUNCH_NODE_IPADDR=10.0.0.1"
	const byHand = "PEBBLES_PROCESS=3 PEBBLES_PROCESSES=4 "
	for _, c := range []struct {
		name, environment string
		want              task // without its words
		says              string
	}{
		{"nobody", "", task{}, ""},
		{"hydra", byPMI + " MPI_LOCALNRANKS=4", task{process: 1, processes: 4, descriptor: "8", local: true}, ""},
		{"hydra on two hosts", byPMI + " MPI_LOCALNRANKS=2", task{process: 1, processes: 4, descriptor: "8"}, ""},
		{"hydra, one task", "PMI_FD=8 PMI_RANK=0 PMI_SIZE=1", task{}, ""},
		{"hydra in an allocation of Slurm", byPMI + slurm, task{process: 1, processes: 4, descriptor: "8"}, ""},
		{"srun with pmi2", "PMI_FD=8 PMI_RANK=2 PMI_SIZE=4 PMI_JOBID=7.1" + slurm,
			task{process: 2, processes: 4, descriptor: "8", address: "10.0.0.1"}, ""},
		{"srun with none", slurm, task{process: 2, processes: 4, name: "slurm-7.1-", address: "10.0.0.1"}, ""},
		{"srun on one host", slurm + " SLURM_STEP_NUM_NODES=1",
			task{process: 2, processes: 4, name: "slurm-7.1-", address: "10.0.0.1", local: true}, ""},
		{"a script of a batch job", "SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_STEP_ID=4294967291", task{}, ""},
		{"mpirun", "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_RANK=3 PMIX_NAMESPACE=5",
			task{process: 3, processes: 4, name: "ompi-", local: true}, ""},
		{"mpirun in an allocation of Slurm", "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8" + slurm,
			task{process: 3, processes: 8, name: "ompi-"}, ""},
		{"Kubernetes", "JOB_COMPLETION_INDEX=3 PEBBLES_PROCESSES=4 PEBBLES_RENDEZVOUS=w-%d.w:7473 PEBBLES_SECRET_FILE=/s",
			task{process: 3, processes: 4, rendezvous: "w-%d.w:7473", name: "job"}, ""},
		{"by hand", byHand + "PEBBLES_RENDEZVOUS_DIR=/f", task{process: 3, processes: 4, name: "job"}, ""},
		{"by hand, a job of one", "PEBBLES_PROCESS=0 PEBBLES_PROCESSES=1", task{}, ""},

		{"no number", "PMI_FD=8 PMI_SIZE=4", task{}, "seems to have started this process, but PMI_RANK is missing"},
		{"no count", "PMI_FD=8 PMI_RANK=4", task{}, "seems to have started this process, but PMI_SIZE is missing"},
		{"a number above the count", "PMI_FD=8 PMI_RANK=4 PMI_SIZE=4", task{}, `PMI_RANK="4" is not a number from 0 to 3`},
		{"both ways to meet", byHand + "PEBBLES_RENDEZVOUS_DIR=/f PEBBLES_RENDEZVOUS=h:1", task{},
			"set one of PEBBLES_RENDEZVOUS, to host:port of process 0, and PEBBLES_RENDEZVOUS_DIR"},
		{"no port", byHand + "PEBBLES_SECRET_FILE=/s PEBBLES_RENDEZVOUS=h", task{},
			`PEBBLES_RENDEZVOUS="h" is not of the form host:port`},
		{"another placeholder", byHand + "PEBBLES_SECRET_FILE=/s PEBBLES_RENDEZVOUS=h-%s:1", task{},
			"%d alone stands for the number of a process"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setOnly(t, strings.Fields(c.environment)...)
			got, err := detect()
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				require.True(t, Started(false), "so that Join tells of it")
				return
			}
			if c.want.processes == 0 {
				require.ErrorIs(t, err, errNoTask)
				require.False(t, Started(false))
				return
			}
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(got.name, c.want.name), got.name)
			require.NotEmpty(t, got.launcher)
			require.NotEmpty(t, got.because)
			got.launcher, got.because, got.name, c.want.name = "", nil, "", ""
			require.Equal(t, &c.want, got)
			require.True(t, Started(false))
			require.False(t, Started(true))
			t.Setenv(varAlone, "1")
			require.False(t, Started(false))
		})
	}
}

// TestNamesOfJobsDiffer has jobs that must not meet in one folder.
func TestNamesOfJobsDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, more := range []string{"", "SLURM_JOB_ID=8", "SLURM_STEP_ID=2", "SLURM_RESTART_COUNT=1",
		"SLURM_CLUSTER_NAME=b"} {
		setOnly(t, "SLURM_JOB_ID=7", "SLURM_STEP_ID=1", "SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=2")
		if name, value, ok := strings.Cut(more, "="); ok {
			t.Setenv(name, value)
		}
		got, err := detect()
		require.NoError(t, err)
		require.False(t, seen[got.name], more)
		seen[got.name] = true
		require.Equal(t, filepath.Base(got.name), got.name, "no folder")
	}
}

func TestRanksOfTasks(t *testing.T) {
	p := func(host, cpus string, cores int) bootstrap.Process {
		return bootstrap.Process{Host: host, CPUs: cpus, Cores: cores}
	}
	for _, c := range []struct {
		name  string
		all   []bootstrap.Process
		asked int
		want  int
	}{
		{"one a host", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-7", 8)}, 0, 16},
		{"they share a host", []bootstrap.Process{p("a", "0-7", 8), p("a", "0-7", 8)}, 0, 8},
		{"each has its own cores", []bootstrap.Process{p("a", "0-3", 4), p("a", "4-7", 4)}, 0, 8},
		{"more than cores", []bootstrap.Process{p("a", "0", 1), p("a", "0", 1), p("a", "0", 1)}, 0, 3},
		{"the smallest decides", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-1", 2)}, 0, 4},
		{"as asked", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-1", 2)}, 5, 5},
	} {
		got, err := ranksOf(c.all, c.asked)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	_, err := ranksOf(make([]bootstrap.Process, 4), 3)
	require.EqualError(t, err,
		"3 ranks were asked for, and the launcher has started 4 processes: each has at least one rank")
	_, err = ranksOf(make([]bootstrap.Process, 4), ranksMax+1)
	require.ErrorContains(t, err, "a job has at most 16777216")
}

func TestExamination(t *testing.T) {
	defer joined.Store(joined.Swap(0))
	folder := t.TempDir()
	for _, c := range []struct {
		name, environment string
		want              Finding // of what the environment says
		problem           string
	}{
		{"nobody", "", Finding{Processes: 1}, ""},
		{"ours", "PEBBLES_JOB=j PEBBLES_PROCESS=1 PEBBLES_PROCESSES=4 PEBBLES_LAUNCHER=h:1 PEBBLES_BIND=lo",
			Finding{Launcher: "pebbles run", Process: 1, Processes: 4, Meets: "by the launcher", Listens: "lo"}, ""},
		{"in a folder", "PEBBLES_PROCESS=1 PEBBLES_PROCESSES=4 PEBBLES_BIND=127.0.0.1 PEBBLES_RENDEZVOUS_DIR=" + folder,
			Finding{Launcher: "the environment", Process: 1, Processes: 4, Meets: "by files in " + folder,
				Listens: "127.0.0.1"}, ""},
		{"in a folder that is not there", "PEBBLES_PROCESS=1 PEBBLES_PROCESSES=4 PEBBLES_RENDEZVOUS_DIR=/none",
			Finding{Launcher: "the environment", Process: 1, Processes: 4, Meets: "by files in /none"}, "no such file"},
		{"by PMI", byPMI + " MPI_LOCALNRANKS=4",
			Finding{Process: 1, Processes: 4, Meets: "by PMI-1, descriptor 8", Listens: "127.0.0.1"}, ""},
		{"no sense", "PMI_FD=8 PMI_RANK=x PMI_SIZE=4", Finding{Processes: 1}, "PMI_RANK"},
		{"alone", byPMI + " PEBBLES_ALONE=1", Finding{Processes: 1}, ""},
		{"neither alone nor not", "PEBBLES_ALONE=x", Finding{Processes: 1}, "is neither 1 nor 0"},
		{"too many", "PMI_FD=8 PMI_RANK=1 PMI_SIZE=60000 MPI_LOCALNRANKS=60000",
			Finding{Process: 1, Processes: 60000, Meets: "by PMI-1, descriptor 8", Listens: "127.0.0.1"},
			"raise the limit (ulimit -n)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setOnly(t, strings.Fields(c.environment)...)
			got := Examine(t.Context(), false)
			if c.problem == "" {
				require.Empty(t, got.Problem)
			} else {
				require.Contains(t, got.Problem, c.problem)
			}
			if c.want.Launcher != "" {
				require.Equal(t, c.want.Launcher, got.Launcher)
			}
			require.Equal(t, fmt.Sprint(c.want.Process, c.want.Processes, c.want.Meets, c.want.Listens),
				fmt.Sprint(got.Process, got.Processes, got.Meets, got.Listens))
			require.Positive(t, got.Cores)
			require.NotContains(t, fmt.Sprint(got), "SECRET")
		})
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAddressesOfThisHost(t *testing.T) {
	own, err := ownAddress()
	if err == nil {
		require.NotEqual(t, "0.0.0.0", own)
	}
	here, err := towards("127.0.0.1:9")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", here)
	_, err = towards("nobody.invalid:9")
	require.ErrorContains(t, err, "find the address of this host by which it reaches nobody.invalid:9")
}

// What a task starts is no task, whichever launcher has started that.
func TestChildrenOfTasksAreNoTasks(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(strings.Repeat("a7", secretBytes)), 0o600))
	for launcher, environment := range map[string]string{
		"hydra":      byPMI,
		"mpirun":     "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_RANK=1 PMIX_NAMESPACE=5",
		"srun":       "SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_PROCID=1 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4",
		"srun pmi2":  "SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_NTASKS=4 PMI_FD=8 PMI_RANK=1 PMI_SIZE=4 PMI_JOBID=7.1",
		"Kubernetes": varIndex + "=1 PEBBLES_PROCESSES=4 PEBBLES_RENDEZVOUS=job-%d.svc:7000 PEBBLES_SECRET_FILE=" + secret,
		"by hand":    "PEBBLES_PROCESS=1 PEBBLES_PROCESSES=4 PEBBLES_RENDEZVOUS=a:7000 PEBBLES_SECRET_FILE=" + secret,
	} {
		t.Run(launcher, func(t *testing.T) {
			setOnly(t, strings.Fields(environment)...)
			found, err := detect()
			require.NoError(t, err)
			require.Equal(t, 4, found.processes)
			_, err = loadSettings(found)
			require.NoError(t, err)
			_, err = detect()
			require.ErrorIs(t, err, errNoTask)
			tasks, variable := foreignTasks()
			require.Zero(t, tasks, variable)
		})
	}
}

func TestTasksOfOtherLaunchers(t *testing.T) {
	defer joined.Store(joined.Swap(0)) // as tests that join leave it
	for _, c := range []struct {
		name, environment string
		says              string // of the refusal; "" is none
	}{
		{"nobody", "", ""},
		{"Open MPI", "OMPI_COMM_WORLD_SIZE=2", "as one of 2 (OMPI_COMM_WORLD_SIZE=2)"},
		{"Open MPI, one task", "OMPI_COMM_WORLD_SIZE=1", ""},
		{"MPICH", "PMI_SIZE=16 PMI_RANK=3", "as one of 16 (PMI_SIZE=16)"},
		{"no number", "PMI_SIZE=many", ""},
		{"Slurm, a step", "SLURM_NTASKS=8 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1",
			"as one of 4 (SLURM_STEP_NUM_TASKS=4)"},
		{"Slurm, a step that says no more", "SLURM_NTASKS=8 SLURM_STEP_ID=12", "as one of 8 (SLURM_NTASKS=8)"},
		{"Slurm, a step of one task", "SLURM_NTASKS=8 SLURM_STEP_ID=12 SLURM_STEP_NUM_TASKS=1", ""},
		{"Slurm, a batch script", "SLURM_NTASKS=8 SLURM_PROCID=0", ""},
		{"Slurm, a batch script with a number", "SLURM_NTASKS=8 SLURM_STEP_ID=4294967291", ""},
		{"Slurm, the shell of an allocation", "SLURM_NTASKS=8 SLURM_STEP_ID=4294967290", ""},
		{"mpirun in a batch script", "SLURM_NTASKS=8 OMPI_COMM_WORLD_SIZE=8", "as one of 8"},
		{"a job of ours", "PEBBLES_JOB=j PEBBLES_PROCESSES=3", "one of a job of 3 processes"},
		{"a job of ours, one process", "PEBBLES_JOB=j PEBBLES_PROCESSES=1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			setOnly(t, strings.Fields(c.environment)...)
			require.NoError(t, CheckAlone(true))
			err := CheckAlone(false)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "set PEBBLES_ALONE=1 to run alone on purpose")
			t.Setenv(varAlone, "0")
			require.Error(t, CheckAlone(false))
			t.Setenv(varAlone, "1")
			require.NoError(t, CheckAlone(false))
			t.Setenv(varAlone, "yes, please")
			require.EqualError(t, CheckAlone(false), `PEBBLES_ALONE="yes, please" is neither 1 nor 0`)
		})
	}
}

// TestLauncherIsOneOfSeveralTasks has another launcher start several launchers of ours.
func TestLauncherIsOneOfSeveralTasks(t *testing.T) {
	defer joined.Store(joined.Swap(0))
	t.Setenv("PMI_SIZE", "2")
	spec := Spec{Processes: 1, Program: []string{"true"}, Stdout: os.Stderr}
	result, err := Run(context.Background(), spec)
	require.ErrorContains(t, err, "start job: another launcher has started this process as one of 2 (PMI_SIZE=2)")
	require.Equal(t, ExitError, result.Status)
	spec.Alone = true
	_, err = Run(context.Background(), spec)
	require.NoError(t, err)
}

func TestJobOfAProcessThatHasJoined(t *testing.T) {
	defer joined.Store(joined.Swap(3))
	require.True(t, Joined())
	require.ErrorContains(t, CheckAlone(false), "one of a job of 3 processes")
	require.NoError(t, CheckAlone(true))
}
