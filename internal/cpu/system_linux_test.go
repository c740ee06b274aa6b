package cpu_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// The second thread of a process waits for a core that is in use, and the first stays as it is. So does a process whose
// policy was chosen.
func TestQuietMonitor(t *testing.T) {
	before, err := unix.SchedGetAttr(os.Getpid(), 0)
	require.NoError(t, err)
	monitor := before.Policy
	if monitor == unix.SCHED_NORMAL {
		monitor = unix.SCHED_BATCH
	}
	cpu.QuietMonitor()
	tasks, err := os.Open("/proc/self/task")
	require.NoError(t, err)
	defer tasks.Close()
	ids, err := tasks.Readdirnames(2)
	require.NoError(t, err)
	for i, policy := range []uint32{before.Policy, monitor} {
		id, err := strconv.Atoi(ids[i])
		require.NoError(t, err)
		attr, err := unix.SchedGetAttr(id, 0)
		require.NoError(t, err)
		require.Equal(t, policy, attr.Policy, "thread %d of %v", i, ids)
		require.Equal(t, before.Nice, attr.Nice, "thread %d of %v", i, ids)
	}
}
