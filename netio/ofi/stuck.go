package ofi

import (
	"os"
	"time"
)

// A process that is killed within a call of the provider shm may hold a lock in memory that it shares with the others. A call that
// needs that lock spins in C forever, with the way's lock held. So Unlink and Close wait for the way's lock for a limited time. Ranks that wait for
// it are left behind by the runtime, as are all that don't return after a failure, and the job ends with the loss. Memory and endpoint stay as they
// are: the call may go on at any time.
const (
	stuckLimitLost  = 250 * time.Millisecond // after the loss of a process, where the provider has locks in shared memory
	stuckLimitOther = 2 * time.Second
)

func (w *Way) stuckLimit(lost bool) time.Duration {
	if lost && w.locks {
		return stuckLimitLost
	}
	return stuckLimitOther
}

// within calls f, and returns when f has returned or the limit is over. It reports false then, and f goes on.
func within(limit <-chan time.Time, f func()) bool {
	returned := make(chan struct{})
	go func() {
		f()
		close(returned)
	}()
	select {
	case <-returned:
		return true
	case <-limit:
		return false
	}
}

// leave is what Close does when a call does not return: it removes the files of an endpoint that can't be closed.
func (w *Way) leave() {
	w.left.Store(true)
	w.config.Log.Warn("a call of libfabric has not returned, and is left behind", "provider", w.provider)
	w.late.Stop()
	if w.provider != shmProvider {
		return
	}
	if name, pid := shmFile(w.address); pid == os.Getpid() {
		_ = os.Remove(name)
	}
	w.removeLeftovers()
}

func (w *Way) removeLeftovers() {
	for _, l := range w.linked {
		if l.onHost {
			removeLeftovers(l.address)
		}
	}
}

const shmProvider = "shm"
