package launch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A job with unstarted processes has failed if nothing is left that could start them.
func TestWhoWaitsForEverIsTold(t *testing.T) {
	j := idle(t, 3)
	j.waiting = j.waiting[1:]
	j.pausing = 1
	r, err := j.finish()
	require.ErrorContains(t, err, "3 of 3 processes were not started")
	require.NotZero(t, r.Status)
}

// After each try of an ssh, all counts of the queue are as before.
func TestTriesLeaveNothing(t *testing.T) {
	s, err := Spec{Processes: 1, Hosts: []string{"a"}, Bind: "127.0.0.1", Program: []string{"true"},
		SSH: []string{"sh", "-c", "echo 'ssh: connect to host a port 22: Connection refused' >&2; exit 255"}}.complete()
	require.NoError(t, err)
	j, err := newJob(&s)
	require.NoError(t, err)
	for range 3 {
		j.start(j.startable())
		(<-j.gone).end(j)
		require.Equal(t, 1, j.pausing)
		require.Zero(t, j.dialling, "ssh that have not reached their host")
		require.Zero(t, j.alive())
		j.requeue(<-j.paused)
	}
	_, err = j.finish()
	require.ErrorContains(t, err, "1 of 1 processes were not started")
}
