package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// kills is the number of recorded jobs that are killed, and killedWithin the longest time from their start of work to
// the kill. With the build tag long they are larger.
var kills, killedWithin = 6, 400 * time.Millisecond

// TestReportOfKilledJobs kills a job of 3 processes at any moment: one process or all, with or without the launcher.
// Its record is readable, and names the process that fell first, or all.
func TestReportOfKilledJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for i := range kills {
		victims, moment := random.Perm(3), time.Duration(random.Int64N(int64(killedWithin)))
		launcher := i%6 == 5 // falls with all
		if i%3 != 2 {
			victims = victims[:1]
		}
		t.Run(fmt.Sprintf("%d processes %v after %v, launcher %t", i, victims, moment, launcher), func(t *testing.T) {
			t.Parallel()
			killRecorded(t, victims, launcher, moment)
		})
	}
}

// killRecorded kills processes of a job, in this order, and checks its report.
func killRecorded(t *testing.T, victims []int, launcher bool, moment time.Duration) {
	dir := t.TempDir()
	r := begin(t, 3, "--procs", "3", "--record", dir)
	time.Sleep(moment)
	if launcher { // it may report nothing about the others
		require.NoError(t, r.Process.Signal(syscall.SIGSTOP))
	}
	for _, victim := range victims {
		at := slices.IndexFunc(r.members, func(m member) bool { return m.process == victim })
		require.NoError(t, syscall.Kill(r.members[at].pid, syscall.SIGKILL))
	}
	if launcher {
		require.NoError(t, r.Process.Kill())
	}
	<-r.ended
	require.True(t, inTime(func() bool {
		return !slices.ContainsFunc(r.members, func(m member) bool { return alive(m.pid) })
	}), "processes are left")

	report := pebbles("report", dir)
	require.Equal(t, launch.ExitOK, report.Status, report.Stderr)
	cause := strings.SplitN(report.Stdout, "\n", 3)[1]
	page, err := os.ReadFile(dir + "/report.html")
	require.NoError(t, err)
	require.Contains(t, string(page), "</html>")
	fell := func(victim int) bool {
		return strings.HasPrefix(cause, fmt.Sprintf("Process %d (rank %d, ", victim, victim)) &&
			(strings.Contains(cause, " fell first: ") || strings.Contains(cause, " was killed: "))
	}
	all := len(victims) > 1 && strings.HasPrefix(cause, "All 3 processes were killed at once")
	require.True(t, all || slices.ContainsFunc(victims, fell), report.Stdout)
}

// A command that fails leaves the file as it is that it would have written.
func TestFailuresKeepFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept")
	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	fails(t, 1, []string{"trace", "-o", path, filepath.Join(t.TempDir(), "nosuch")})
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "precious", string(kept))
}
