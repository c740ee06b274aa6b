package task

import (
	"iter"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/engine"
)

// worker is a coroutine that runs tasks, one after the other (Grappa, section 4.2).
type worker struct {
	s         *Scheduler
	resume    func() (struct{}, bool)
	yield     func(struct{}) bool
	place     cpu.Coroutine
	waits     string // the call in which its task waits; "" when it doesn't
	task      uint64 // the number of its task, or of the next one
	suspended bool   // it waits in Suspend
	permit    bool   // it was woken ahead of its next Suspend
	stopped   bool
	goroutine uint64 // the coroutine's, in builds that compare goroutines
	stop      func()
}

// newWorker adds a worker.
func (s *Scheduler) newWorker() *worker {
	w := &worker{s: s}
	w.resume, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield, w.goroutine = yield, engine.GoroutineNumber()
		w.place.Settle(yield)
		s.engine.Tasks.Begin(w.goroutine) // again: the number was not known
		s.engine.Coroutine(w.run)
	})
	w.place.Resume(w.resume)
	s.workers = append(s.workers, w)
	return w
}

// run takes tasks that have not begun: the next one without a switch, for so many as the scheduler allows at a time.
func (w *worker) run() {
	s := w.s
	for !w.stopped {
		for s.burst.goesOn(s.engine) && !w.stopped && s.begin() {
			w.task++
			w.permit = false
		}
		s.idle = append(s.idle, w)
		w.place.Suspends()
		w.stopped = !w.yield(struct{}{}) || w.stopped
	}
}

// pause lets the rank go on until it resumes the worker.
func (w *worker) pause() {
	w.place.Suspends()
	if w.stopped || !w.yield(struct{}{}) {
		w.stopped = true // also for what deferred functions wait for
		w.s.engine.Leave()
	}
}

// wait lets the rank go on until wake is called. call is what the task waits in.
func (w *worker) wait(call string) {
	w.waits = call
	w.s.waiting++
	w.pause()
}

// wake makes a worker ready that waits.
func (w *worker) wake() {
	w.waits = ""
	w.s.waiting--
	w.s.stirred = true
	w.s.ready.push(w)
}

// prefetchFrom is from how many workers on prefetching pays. The state of fewer stays in the caches.
const prefetchFrom = 512

// How many switches ahead of its own a worker is fetched, and then what its switch touches.
const (
	aheadWorker = 10
	aheadSwitch = 5
)

// prefetch fetches what switches that are soon to come will touch.
func (s *Scheduler) prefetch() {
	if r := &s.ready; r.size > aheadWorker {
		cpu.Prefetch(unsafe.Pointer(r.at(aheadWorker)), int(unsafe.Sizeof(worker{})))
		r.at(aheadSwitch).place.Prefetch()
	}
}
