package ofi

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A process that is killed within a call of the provider shm may hold a lock in memory that it shares with the others. Who comes to that lock spins in C for
// ever, with the way's lock. So once another process has ended, a watch looks whether one holder has the way's lock all the time. Then the way is given up:
//
//	holder               does not come back from C; if it is a rank, the runtime is told not to wait for it
//	others               get no lock any more: frames go over TCP, operations on memory of lost processes fail, the rest waits for the end of the job
//	memory, endpoint     stay as they are: the call may go on at any time
//	files in /dev/shm    are removed by name
//
// A holder that does come back finishes what it was doing, but touches no memory of ranks. It is the only one that has what the lock guards.
type watch struct {
	once    sync.Once
	rounds  atomic.Int32  // after a loss
	lost    atomic.Bool   // a process was lost; else some have ended in order
	closing atomic.Bool   // the way is
	over    chan struct{} // closed when it has been
	stuck   chan struct{} // closed when the way is given up
}

const (
	stuckRound  = 50 * time.Millisecond
	stuckRounds = 4  // that a holder may have the lock after the loss of a process, where the provider has locks of its own
	quietRounds = 40 // elsewhere, and after an end in order
)

// errStuck ends a job that has lost nobody.
var errStuck = errors.New("a call does not return")

func (h *watch) init(locks bool) {
	h.rounds.Store(quietRounds)
	if locks {
		h.rounds.Store(stuckRounds)
	}
	h.over, h.stuck = make(chan struct{}), make(chan struct{})
}

// begin begins the watch, if need be.
func (h *watch) begin(w *Way, lost bool) {
	if lost {
		h.lost.Store(true)
	}
	h.once.Do(func() { go h.run(w) })
}

// run counts rounds and asks no clock: a holder has done nothing while the process was stopped.
func (h *watch) run(w *Way) {
	ticker := time.NewTicker(stuckRound)
	defer ticker.Stop()
	turn, same := w.mu.Turn(), 0
	for {
		select {
		case <-h.over:
			return
		case <-ticker.C:
		}
		if now := w.mu.Turn(); now != turn || w.mu.Holder() == 0 {
			turn, same = now, 0
			continue
		}
		same++
		if (h.lost.Load() && same >= int(h.rounds.Load()) || same >= quietRounds) && w.giveUp(turn) {
			return
		}
	}
}

// giveUp gives up the way, if its lock was not given back since a turn, and tells whom that concerns.
func (w *Way) giveUp(turn uint64) bool {
	if !w.mu.GiveUp(turn) {
		return false
	}
	w.config.Log.Warn("a call of libfabric has not returned, and is left behind", "provider", w.provider)
	t := w.line
	if w.mu.Holder() == byRank {
		t.Strand()
	}
	close(w.watch.stuck)
	w.stir()
	if !w.watch.lost.Load() && !w.watch.closing.Load() {
		t.Tell(fmt.Errorf("use the fabric: provider %s: %w", w.provider, errStuck))
	}
	return true
}

// leave is what Close does of a way that was given up.
func (w *Way) leave() {
	w.sentry.leave()
	w.late.Stop()
	if w.mu.Holder() != bySentry {
		w.sentry.running.Wait()
	}
	if w.provider != shmProvider {
		return
	}
	if name, pid := shmFile(w.address); pid == os.Getpid() {
		_ = os.Remove(name)
	}
	w.removeLeftovers()
}

// leave has the sentry end by itself, when it can.
func (s *sentry) leave() {
	s.over.Store(true)
	if s.file != nil {
		s.file.Close()
	}
	s.parking.Wake()
}

// surrender ends operations on memory of processes that are lost, after the way was given up. The rank has only what is its own of them.
func (r *reach) surrender() (some bool) {
	for i := 0; i < len(r.all); {
		t := r.all[i]
		if t.passed || !t.link.over.Load() {
			i++
			continue
		}
		op := t.op
		op.Completion.Inside(access).End(r.lost(op))
		r.leave(t, false)
		some = true
	}
	return some
}

func (w *Way) removeLeftovers() {
	for _, l := range w.linked {
		if l.onHost {
			removeLeftovers(l.address)
		}
	}
}

const shmProvider = "shm"
