package task

import (
	"iter"

	"github.com/activepebbles/pebbles/internal/engine"
)

// worker is a coroutine that runs tasks, one after the other (Grappa, section 4.2).
type worker struct {
	s         *Scheduler
	goroutine uint64 // the coroutine's, in builds that compare goroutines
	task      uint64 // the number of the one that it runs, or will run next
	waits     string // the call in which that one waits; "" when it doesn't
	suspended bool   // it waits in Suspend
	permit    bool   // it was woken ahead of its next Suspend
	stopped   bool
	resume    func() (struct{}, bool)
	stop      func()
	yield     func(struct{}) bool
}

// hire makes a worker.
func (s *Scheduler) hire() *worker {
	w := &worker{s: s}
	w.resume, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield, w.goroutine = yield, engine.GoroutineNumber()
		s.engine.BeginTask(w.goroutine) // again: the number was not known
		s.engine.Coroutine(w.run)
	})
	s.workers = append(s.workers, w)
	return w
}

// run takes tasks that have not begun: the next one without a switch, for so many as the scheduler allows at a time.
func (w *worker) run() {
	s := w.s
	for !w.stopped {
		for s.left > 0 && !w.stopped && s.begin() {
			w.task++
			w.permit = false
		}
		s.idle = append(s.idle, w)
		w.stopped = !w.yield(struct{}{}) || w.stopped
	}
}

// pause lets the rank go on until it resumes the worker.
func (w *worker) pause() {
	if w.stopped || !w.yield(struct{}{}) {
		w.stopped = true // also for what deferred functions wait for
		w.s.engine.Unwind()
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
