package cpu_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// The second thread of a process waits for a core that is in use, and the first does not.
func TestQuietMonitor(t *testing.T) {
	cpu.QuietMonitor()
	tasks, err := os.Open("/proc/self/task")
	require.NoError(t, err)
	defer tasks.Close()
	ids, err := tasks.Readdirnames(2)
	require.NoError(t, err)
	for i, policy := range []uint32{unix.SCHED_NORMAL, unix.SCHED_BATCH} {
		id, err := strconv.Atoi(ids[i])
		require.NoError(t, err)
		attr, err := unix.SchedGetAttr(id, 0)
		require.NoError(t, err)
		require.Equal(t, policy, attr.Policy, "thread %d of %v", i, ids)
	}
}
