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
	waits     string // call that its task waits in; "" for none
	task      uint64 // number of its task, or of the next one
	suspended bool   // waits in Suspend
	permit    bool   // woken ahead of its next Suspend
	stopped   bool
	goroutine uint64 // of the coroutine, in builds that compare goroutines
	stop      func()
}

// newWorker adds a worker.
func (s *Scheduler) newWorker() *worker {
	w := &worker{s: s}
	w.resume, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield, w.goroutine = yield, engine.GoroutineNumber()
		w.place.Settle(yield)
		s.engine.Tasks.Begin(w.goroutine) // again: the number was unknown
		s.engine.Coroutine(w.run)
	})
	w.place.Resume(w.resume)
	s.workers = append(s.workers, w)
	return w
}

// run runs tasks that have not begun: the next one without a switch, as long as the burst lasts.
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

// pause switches to the rank until it resumes the worker.
func (w *worker) pause() {
	w.place.Suspends()
	if w.stopped || !w.yield(struct{}{}) {
		w.stopped = true // also for waits in deferred functions
		w.s.engine.Leave()
	}
}

// wait switches to the rank until wake is called. call names the wait.
func (w *worker) wait(call string) {
	w.waits = call
	w.s.waiting++
	w.pause()
}

// wake makes a waiting worker ready.
func (w *worker) wake() {
	w.waits = ""
	w.s.waiting--
	w.s.stirred = true
	w.s.ready.push(w)
}

// prefetchFrom is the number of workers from which prefetching pays. The state of fewer stays in the caches.
const prefetchFrom = 512

// Distances, in switches, of the prefetch of a worker, and of the memory that its switch touches.
const (
	aheadWorker = 10
	aheadSwitch = 5
)

// prefetch fetches the memory of switches that come soon.
func (s *Scheduler) prefetch() {
	if r := &s.ready; r.size > aheadWorker {
		cpu.Prefetch(unsafe.Pointer(r.at(aheadWorker)), int(unsafe.Sizeof(worker{})))
		r.at(aheadSwitch).place.Prefetch()
	}
}
