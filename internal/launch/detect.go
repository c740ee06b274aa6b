package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// These are the variables for users, or manifests, that start processes without our launcher. varProcess, varProcesses,
// varRanks, varSecretFile, varBind and the limits complete them.
const (
	varRendezvous    = "PEBBLES_RENDEZVOUS"     // host:port of process 0, or with %d of each process
	varRendezvousDir = "PEBBLES_RENDEZVOUS_DIR" // folder that all hosts share
	varIndex         = "JOB_COMPLETION_INDEX"   // number of a pod of an Indexed Job in Kubernetes
)

// task describes this process as another launcher, or the environment set by a user, defines it.
type task struct {
	launcher           string   // its name
	because            []string // the deciding variables
	process, processes int

	descriptor string // of PMI, if the launcher supports it; else
	rendezvous string // addresses of processes that have a secret beforehand; else
	name       string // of the job, in a folder

	local   bool   // all processes are on this host
	address string // of the launcher: others reach the address from which this host reaches it; may be empty
}

// errNoTask is returned if this process is not a task of a launcher.
var errNoTask = errors.New("no launcher has started this process as one of several")

// detect returns the task of this process. The first launcher that has left its variables counts, since one that was
// started within another's job passes on the variables of that too. A job of one task needs no others, and is not a
// task here.
func detect() (*task, error) {
	for _, ask := range []func() (*task, error){detectPMI, detectOpenMPI, detectSlurm, detectByHand, detectPMIx} {
		switch t, err := ask(); {
		case errors.Is(err, errNoTask):
		case err != nil:
			return nil, err
		case t.processes == 1:
			return nil, errNoTask
		default:
			return t, nil
		}
	}
	return nil, errNoTask
}

// detectPMI detects hydra, and srun with pmi2: both pass on a connection through which their tasks exchange values.
func detectPMI() (*task, error) {
	descriptor, ok := os.LookupEnv("PMI_FD")
	if !ok {
		return nil, errNoTask
	}
	t, err := newTask("mpiexec or srun (PMI-1)", "PMI_RANK", "PMI_SIZE")
	if err != nil {
		return nil, err
	}
	t.descriptor = descriptor
	t.local = os.Getenv("MPI_LOCALNRANKS") == strconv.Itoa(t.processes)
	if inSlurmStep() && strings.HasPrefix(os.Getenv("PMI_JOBID"), os.Getenv("SLURM_JOB_ID")+".") {
		t.fromSlurm()
	}
	return t, nil
}

func detectOpenMPI() (*task, error) {
	if _, ok := os.LookupEnv("OMPI_COMM_WORLD_SIZE"); !ok {
		return nil, errNoTask
	}
	t, err := newTask("mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
	if err != nil {
		return nil, err
	}
	t.local = os.Getenv("OMPI_COMM_WORLD_LOCAL_SIZE") == strconv.Itoa(t.processes)
	t.name = nameOf("ompi", os.Getenv("PMIX_NAMESPACE"), os.Getenv("OMPI_MCA_orte_hnp_uri"))
	return t, nil
}

// detectSlurm detects srun without PMI, as with --mpi=none.
func detectSlurm() (*task, error) {
	if !inSlurmStep() {
		return nil, errNoTask
	}
	size := "SLURM_STEP_NUM_TASKS"
	if os.Getenv(size) == "" {
		size = "SLURM_NTASKS"
	}
	t, err := newTask("srun of Slurm", "SLURM_PROCID", size)
	if err != nil {
		return nil, err
	}
	t.because = append(t.because, assignment("SLURM_JOB_ID"), assignment("SLURM_STEP_ID"))
	t.name = nameOf("slurm-"+os.Getenv("SLURM_JOB_ID")+"."+os.Getenv("SLURM_STEP_ID"),
		os.Getenv("SLURM_CLUSTER_NAME"), os.Getenv("SLURM_RESTART_COUNT"))
	t.fromSlurm()
	return t, nil
}

// fromSlurm adds Slurm's data about hosts.
func (t *task) fromSlurm() {
	t.local = os.Getenv("SLURM_STEP_NUM_NODES") == "1"
	t.address = os.Getenv("SLURM_LAUNCH_NODE_IPADDR")
}

// detectByHand detects Kubernetes, with the variables of `pebbles k8s`, and any other environment that sets them.
func detectByHand() (*task, error) {
	_, counted := os.LookupEnv(varProcesses)
	_, indexed := os.LookupEnv(varIndex)
	number, launcher := varProcess, "the environment"
	switch {
	case !counted && !indexed:
		return nil, errNoTask
	case !counted:
		return nil, fmt.Errorf("an Indexed Job of Kubernetes has started this process with %s, and %s does not say how "+
			"many there "+
			"are: write the manifests by `pebbles k8s`, or set %s=1 for jobs that know nothing of each other",
			assignment(varIndex), varProcesses, varAlone)
	case indexed && os.Getenv(varProcess) == "":
		number, launcher = varIndex, "an Indexed Job of Kubernetes"
	}
	t, err := newTask(launcher, number, varProcesses)
	if err != nil {
		return nil, err
	}
	t.rendezvous = os.Getenv(varRendezvous)
	_, folder := os.LookupEnv(varRendezvousDir)
	_, secret := os.LookupEnv(varSecretFile)
	switch {
	case t.processes == 1:
	case t.rendezvous != "" && folder, t.rendezvous == "" && !folder:
		return nil, fmt.Errorf("%s, so the processes must find each other: set one of %s, to host:port of process 0, and "+
			"%s, to a folder that all hosts share", assignment(varProcesses), varRendezvous, varRendezvousDir)
	case t.rendezvous != "" && !secret:
		return nil, fmt.Errorf("%s needs a secret: set %s to a file of mode 0600 with 64 hexadecimal digits",
			assignment(varRendezvous), varSecretFile)
	case t.rendezvous != "":
		if err := checkRendezvous(t.rendezvous); err != nil {
			return nil, err
		}
	}
	t.name = "job"
	return t, nil
}

// detectPMIx refuses an environment with a number but without the number of tasks.
func detectPMIx() (*task, error) {
	if _, ok := os.LookupEnv("PMIX_RANK"); !ok {
		return nil, errNoTask
	}
	return nil, fmt.Errorf("a launcher that speaks PMIx alone has started this process (%s), and this program does "+
		"not: start "+
		"it by srun --mpi=pmi2, mpiexec of MPICH, mpirun of Open MPI or `pebbles run`, or set %s=1 to run alone on purpose",
		assignment("PMIX_RANK"), varAlone)
}

// newTask reads the number of this process, and the number of processes.
func newTask(launcher, number, count string) (*task, error) {
	p := parser{values: map[string]string{number: os.Getenv(number), count: os.Getenv(count)}}
	t := &task{launcher: launcher, because: []string{assignment(number), assignment(count)}}
	t.processes = p.number(count, 1, processesMax)
	if t.processes > 0 {
		t.process = p.number(number, 0, t.processes-1)
	}
	if len(p.wrong) > 0 {
		return nil, fmt.Errorf("%s seems to have started this process, but %s", launcher, strings.Join(p.wrong, "; "))
	}
	return t, nil
}

// assignment returns a variable of the environment as NAME=value.
func assignment(name string) string { return name + "=" + os.Getenv(name) }

// nameOf returns a name for files that is unique for the job that the parts identify.
func nameOf(begin string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(parts, begin), "\x00")))
	return strings.ReplaceAll(begin, "/", "_") + "-" + hex.EncodeToString(sum[:6])
}
