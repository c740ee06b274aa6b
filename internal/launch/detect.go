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

// The variables by which users, or manifests, start processes without a launcher of ours. With them go varProcess, varProcesses,
// varRanks, varSecretFile, varBind and the limits.
const (
	varRendezvous    = "PEBBLES_RENDEZVOUS"     // host:port where process 0 listens, or with %d where each process does
	varRendezvousDir = "PEBBLES_RENDEZVOUS_DIR" // folder that all hosts share
	varIndex         = "JOB_COMPLETION_INDEX"   // what Kubernetes numbers the pods of an Indexed Job by
)

// task is what another launcher, or the environment that somebody has made by hand, says of this process.
type task struct {
	launcher           string   // who
	because            []string // the variables that say so
	process, processes int

	descriptor string // of PMI, when the launcher speaks it; else
	rendezvous string // where processes listen that have a secret beforehand; else
	name       string // of the job, in a folder

	local   bool   // all processes are on this host
	address string // of the launcher: the others are where it can be reached from; may be empty
}

// errNoTask says that this process is no task of any launcher.
var errNoTask = errors.New("no launcher has started this process as one of several")

// detect says which task of a launcher this process is. The first launcher that has left its variables counts: one that was started
// within another's job hands on the variables of that, too. A job of one task needs nobody, and is no task here.
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

// detectPMI finds hydra, and srun with pmi2: both hand on a connection by which their tasks can exchange values.
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
	if inSlurmStep() && os.Getenv("PMI_JOBID") != "" && strings.HasPrefix(os.Getenv("PMI_JOBID"), os.Getenv("SLURM_JOB_ID")+".") {
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

// detectSlurm finds srun without PMI, as with --mpi=none.
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
	t.because = append(t.because, said("SLURM_JOB_ID"), said("SLURM_STEP_ID"))
	t.name = nameOf("slurm-"+os.Getenv("SLURM_JOB_ID")+"."+os.Getenv("SLURM_STEP_ID"), os.Getenv("SLURM_CLUSTER_NAME"), os.Getenv("SLURM_RESTART_COUNT"))
	t.fromSlurm()
	return t, nil
}

// fromSlurm adds what Slurm says of hosts.
func (t *task) fromSlurm() {
	t.local = os.Getenv("SLURM_STEP_NUM_NODES") == "1"
	t.address = os.Getenv("SLURM_LAUNCH_NODE_IPADDR")
}

// detectByHand finds Kubernetes, with the variables of `pebbles k8s`, and whoever else sets them.
func detectByHand() (*task, error) {
	_, counted := os.LookupEnv(varProcesses)
	_, indexed := os.LookupEnv(varIndex)
	number, launcher := varProcess, "the environment"
	switch {
	case !counted && !indexed:
		return nil, errNoTask
	case !counted:
		return nil, fmt.Errorf("an Indexed Job of Kubernetes has started this process with %s, and %s does not say how many there are: "+
			"write the manifests by `pebbles k8s`, or set %s=1 for jobs that know nothing of each other", said(varIndex), varProcesses, varAlone)
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
		return nil, fmt.Errorf("%s, so the processes must find each other: set one of %s, to host:port of process 0, and %s, to a folder "+
			"that all hosts share", said(varProcesses), varRendezvous, varRendezvousDir)
	case t.rendezvous != "" && !secret:
		return nil, fmt.Errorf("%s needs a secret: set %s to a file of mode 0600 with 64 hexadecimal digits", said(varRendezvous), varSecretFile)
	case t.rendezvous != "":
		if err := checkRendezvous(t.rendezvous); err != nil {
			return nil, err
		}
	}
	t.name = "job"
	return t, nil
}

// detectPMIx refuses what says a number and not how many there are.
func detectPMIx() (*task, error) {
	if _, ok := os.LookupEnv("PMIX_RANK"); !ok {
		return nil, errNoTask
	}
	return nil, fmt.Errorf("a launcher that speaks PMIx alone has started this process (%s), and this program does not: start it by "+
		"srun --mpi=pmi2, mpiexec of MPICH, mpirun of Open MPI or `pebbles run`, or set %s=1 to run alone on purpose", said("PMIX_RANK"), varAlone)
}

// newTask reads the number of this process, and how many there are.
func newTask(launcher, number, count string) (*task, error) {
	p := parser{values: map[string]string{number: os.Getenv(number), count: os.Getenv(count)}}
	t := &task{launcher: launcher, because: []string{said(number), said(count)}}
	t.processes = p.number(count, 1, processesMax)
	if t.processes > 0 {
		t.process = p.number(number, 0, t.processes-1)
	}
	if len(p.wrong) > 0 {
		return nil, fmt.Errorf("%s seems to have started this process, but %s", launcher, strings.Join(p.wrong, "; "))
	}
	return t, nil
}

func said(name string) string { return name + "=" + os.Getenv(name) }

// nameOf makes a name for files from what tells a job from all others.
func nameOf(begin string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(parts, begin), "\x00")))
	return strings.ReplaceAll(begin, "/", "_") + "-" + hex.EncodeToString(sum[:6])
}
