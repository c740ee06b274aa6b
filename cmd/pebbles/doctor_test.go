package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/launch"
)

func doctor(t *testing.T, args ...string) (status int, printed string) {
	var stdout, stderr bytes.Buffer
	status = execute(newCommand(terminal{args: append([]string{"doctor"}, args...), stdout: &stdout, stderr: &stderr}))
	require.Empty(t, stderr.String())
	return status, stdout.String()
}

func TestDoctor(t *testing.T) {
	status, printed := doctor(t)
	require.Zero(t, status)
	require.Contains(t, printed, "launcher    none: this process has a job of its own\n")

	t.Setenv("PMI_FD", "9")
	t.Setenv("PMI_RANK", "3")
	t.Setenv("PMI_SIZE", "4")
	t.Setenv("MPI_LOCALNRANKS", "4")
	status, printed = doctor(t)
	require.Zero(t, status)
	require.Contains(t, printed, "process           3 of 4\n")
	status, printed = doctor(t, "--json")
	require.Zero(t, status)
	var f launch.Finding
	require.NoError(t, json.Unmarshal([]byte(printed), &f))
	require.Equal(t, 4, f.Processes)
	_, printed = doctor(t, "--alone")
	require.Contains(t, printed, "none: this process has a job of its own")

	t.Setenv("PMI_RANK", "4")
	status, printed = doctor(t)
	require.Equal(t, launch.ExitError, status)
	require.Contains(t, printed, `problem     mpiexec or srun (PMI-1) seems to have started this process, but PMI_RANK="4"`)
}
