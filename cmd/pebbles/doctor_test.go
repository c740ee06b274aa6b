package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

func doctor(t *testing.T, args ...string) (status int, printed string) {
	r := pebbles(t, append([]string{"doctor"}, args...)...)
	require.Empty(t, r.stderr)
	return r.status, r.stdout
}

func TestDoctor(t *testing.T) {
	status, printed := doctor(t)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^launcher +none: this process has a job of its own$`, printed)

	t.Setenv("PMI_FD", "9")
	t.Setenv("PMI_RANK", "3")
	t.Setenv("PMI_SIZE", "4")
	t.Setenv("MPI_LOCALNRANKS", "4")
	status, printed = doctor(t)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^process +3 of 4$`, printed)
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
	require.Regexp(t, `(?m)^problem +mpiexec or srun \(PMI-1\) seems to have started this process, but PMI_RANK="4"`, printed)
}
