package ofi

import (
	"os"
	"time"
)

// A process that is killed within a call of the provider shm may hold a lock in memory that it shares with the others. Who comes to that lock spins in C for
// ever, with the way's lock. So what follows from a loss is waited for no longer than stuckMax. Then the endpoint stays open: the runtime leaves a rank behind
// that does not come back, and the job ends with the loss.

const stuckMax = 250 * time.Millisecond

// within calls f, and waits until it has returned or the limit is over. It reports false then, and f goes on.
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

// giveUp removes the files of a provider whose endpoint can't be closed.
func (w *Way) giveUp() {
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
