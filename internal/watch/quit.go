package watch

import (
	"sync/atomic"
	"time"
)

// current is the watcher of the job that runs in this process.
var current atomic.Pointer[Watcher]

// Quit is for a process that is about to end since somebody wants to know where it is: it has process 0 write a report
// of the whole job, and gives it the time to ask this process. It takes up to 2 s.
func Quit() {
	w := current.Load()
	if w == nil {
		return
	}
	if w.place.Process == 0 {
		w.quitting()
		return
	}
	w.send(0, note{Report: true})
	select {
	case <-time.After(answersTime + 2*detailsTime):
	case <-w.over:
	}
}

// quitting writes a report, once for all who want one.
func (w *Watcher) quitting() {
	if w.quit.Swap(true) {
		return
	}
	_ = w.Report().Write(w.config.Out)
	w.quit.Store(false)
}
