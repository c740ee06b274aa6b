package launch

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTasksOfOtherLaunchers(t *testing.T) {
	defer joined.Store(joined.Swap(0)) // as tests that join leave it
	for _, c := range []struct {
		name        string
		environment map[string]string
		says        string // of the refusal; "" is none
	}{
		{"nobody", nil, ""},
		{"Open MPI", map[string]string{"OMPI_COMM_WORLD_SIZE": "2"}, "as one of 2 (OMPI_COMM_WORLD_SIZE=2)"},
		{"Open MPI, one task", map[string]string{"OMPI_COMM_WORLD_SIZE": "1"}, ""},
		{"MPICH", map[string]string{"PMI_SIZE": "16", "PMI_RANK": "3"}, "as one of 16 (PMI_SIZE=16)"},
		{"no number", map[string]string{"PMI_SIZE": "many"}, ""},
		{"Slurm, a step", map[string]string{"SLURM_NTASKS": "8", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"},
			"as one of 4 (SLURM_STEP_NUM_TASKS=4)"},
		{"Slurm, a step that says no more", map[string]string{"SLURM_NTASKS": "8", "SLURM_STEP_ID": "12"}, "as one of 8 (SLURM_NTASKS=8)"},
		{"Slurm, a step of one task", map[string]string{"SLURM_NTASKS": "8", "SLURM_STEP_ID": "12", "SLURM_STEP_NUM_TASKS": "1"}, ""},
		{"Slurm, a batch script", map[string]string{"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}, ""},
		{"Slurm, a batch script with a number", map[string]string{"SLURM_NTASKS": "8", "SLURM_STEP_ID": "4294967291"}, ""},
		{"Slurm, the shell of an allocation", map[string]string{"SLURM_NTASKS": "8", "SLURM_STEP_ID": "4294967290"}, ""},
		{"mpirun in a batch script", map[string]string{"SLURM_NTASKS": "8", "OMPI_COMM_WORLD_SIZE": "8"}, "as one of 8"},
		{"a job of ours", map[string]string{varJob: "j", varProcesses: "3"}, "one of a job of 3 processes"},
		{"a job of ours, one process", map[string]string{varJob: "j", varProcesses: "1"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.environment {
				t.Setenv(name, value)
			}
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
