package launch

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// varAlone is set by users to run a job of this process alone, even if it is one of several tasks.
const varAlone = "PEBBLES_ALONE"

// joined is the number of processes of the job that this process has joined or tried to join; 0 before.
var joined atomic.Int64

// Joined reports whether this process has called [Join], even if that failed. It can't do so again.
func Joined() bool { return joined.Load() > 0 }

// CheckAlone returns an error if this process is one of several, of a job or of another launcher such as mpirun or
// srun: each would run its own job unnoticed. It returns nil if alone is true, or with PEBBLES_ALONE=1 in the
// environment.
func CheckAlone(alone bool) error {
	if meant, err := meantAlone(alone); meant || err != nil {
		return err
	}
	processes := int(joined.Load())
	if ours() {
		processes, _ = strconv.Atoi(os.Getenv(varProcesses))
	}
	if processes > 1 {
		return fmt.Errorf("this process is one of a job of %d processes, each of which would run a job of its own here: "+
			"call pebble.Main or pebble.RunLaunched to take part in the job, start a simulation without a launcher, or set "+
			"%s=1 to run alone on purpose", processes, varAlone)
	}
	advice := "call pebble.Main or pebble.RunLaunched to take part in one job"
	_, connected := os.LookupEnv("PMI_FD")
	if _, variable := foreignTasks(); variable == "PMI_SIZE" && !connected {
		advice = "PMI_FD is missing, by which it would take part in one job: start it by mpiexec of MPICH or srun --mpi=pmi2"
	}
	return checkTasks(advice)
}

// checkTasks returns an error if this process is one of several tasks of another launcher.
func checkTasks(advice string) error {
	if tasks, variable := foreignTasks(); tasks > 1 {
		return fmt.Errorf("another launcher has started this process as one of %d (%s=%d), each of which would run a job "+
			"of its own: %s, or set %s=1 to run alone on purpose", tasks, variable, tasks, advice, varAlone)
	}
	return nil
}

func meantAlone(alone bool) (bool, error) {
	text, ok := os.LookupEnv(varAlone)
	if !ok || alone {
		return alone, nil
	}
	meant, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s=%q is neither 1 nor 0", varAlone, text)
	}
	return meant, nil
}

// foreignTasks returns the number of tasks that another launcher has started together with this process, and the
// variable that holds it.
func foreignTasks() (tasks int, variable string) {
	variables := []string{
		"OMPI_COMM_WORLD_SIZE", // mpirun of Open MPI
		"PMI_SIZE",             // mpiexec of MPICH and its kin
	}
	if inSlurmStep() {
		variables = append(variables, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
	}
	if !ours() {
		variables = append(variables, varProcesses)
	}
	for _, name := range variables {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n, name
		}
	}
	return 0, ""
}

// slurmStepMax is above all step numbers of srun. Slurm uses the numbers from here on for the script of a batch job and
// for the shell of an allocation. Each of these is one task, despite SLURM_NTASKS.
const slurmStepMax = 0xfffffff0

// inSlurmStep reports whether srun has started this process. In the script of a batch job SLURM_STEP_ID is absent, or
// is one of Slurm's reserved numbers.
func inSlurmStep() bool {
	step, err := strconv.ParseUint(os.Getenv("SLURM_STEP_ID"), 10, 64)
	return err == nil && step < slurmStepMax
}
