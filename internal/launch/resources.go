package launch

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/netio"
)

// These are the minimum resources of a process on this host.
const (
	processBytes = 8 << 20 // memory of a Go program with a runtime
	// open files of the launcher for each process: its output, its errors, its line, and a pipe while it starts
	lineFiles  = 4
	spareFiles = 32 // other open files
)

// host holds the resources of this machine for a job.
type host struct {
	memory int64  // available, in bytes
	files  uint64 // limit of open files of a process; 0 if it can't be read
}

func thisHost() host {
	h := host{memory: cpu.MemoryAvailable()}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		h.files = limit.Max // Go raises the soft limit to it
	}
	return h
}

// checkResources returns an error if this machine lacks memory or open files for the job, before any process starts. It
// does not check other hosts.
func checkResources(s *Spec) error { return s.checkFits(thisHost()) }

func (s *Spec) checkFits(h host) error {
	if files := uint64(s.Processes)*lineFiles + spareFiles; h.files > 0 && files > h.files {
		return fmt.Errorf("%d processes need %d open files in their launcher, and %d are allowed: start fewer, or raise "+
			"the limit (ulimit -n)",
			s.Processes, files, h.files)
	}
	if len(s.Hosts) > 0 {
		return nil
	}
	if err := cpu.CheckMemory(s.Processes, "processes", processBytes, h.memory); err != nil {
		return fmt.Errorf("%w: start fewer, or use more hosts", err)
	}
	if err := cpu.CheckMemory(s.Ranks, "ranks", netio.RankBytes, h.memory); err != nil {
		return fmt.Errorf("%w: use fewer, or more hosts", err)
	}
	return nil
}

// oversubscribedMin is the number of processes per processor from which each gets one Go thread, which keeps the
// threads of all from searching for work in vain. docs/decisions/threads.md has the figures.
const oversubscribedMin = 4

// varThreads is Go's variable for the number of threads.
const varThreads = "GOMAXPROCS"

// oversubscribed returns the setting of one Go thread for the processes of an oversubscribed machine, unless the user
// has set it.
func (s *Spec) oversubscribed() []string {
	_, set := os.LookupEnv(varThreads)
	set = set || slices.ContainsFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, varThreads+"=") })
	if set || cmp.Or(s.here, s.Processes) < oversubscribedMin*runtime.NumCPU() {
		return nil
	}
	return []string{varThreads + "=1"}
}
