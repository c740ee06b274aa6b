package watch

import (
	"sync/atomic"
	"time"
)

// current is the watcher of the job of this process.
var current atomic.Pointer[Watcher]

// Quit asks process 0 for a report of the whole job, and gives process 0 the time to query this process. Call it before
// the process ends by a signal that requests its state. It takes up to 2 s.
func Quit() {
	w := current.Load()
	if w == nil {
		return
	}
	if w.place.Process == 0 {
		w.quitting()
		return
	}
	w.peers.send(0, note{Report: true})
	select {
	case <-time.After(answersTime + 2*detailsTime):
	case <-w.over:
	}
}

// quitting writes one report for all requests that arrive meanwhile.
func (w *Watcher) quitting() {
	if w.quit.Swap(true) {
		return
	}
	_ = w.Report().Write(w.config.Out)
	w.quit.Store(false)
}
