package watch

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/record"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// outlets are where what is watched goes besides reports.
type outlets struct {
	page   *page.Server // nil for none
	forget func()       // takes the job off the list of jobs
	mu     sync.Mutex
	record *record.Writer // nil for none; guarded by mu
	cause  string         // why the job has failed; guarded by mu
}

// sampleEvery is how often somebody looks at what ranks do, where it is shown.
const sampleEvery = 50 * time.Millisecond

// open opens the page and the record.
func (w *Watcher) open() error {
	if c := &w.config; c.HTTP != "" && w.place.Process == 0 {
		s, err := page.Listen(page.Config{Addr: c.HTTP, Pprof: c.Pprof, Source: w, Log: c.Log})
		if err != nil {
			return fmt.Errorf("serve the page of the job: %w", err)
		}
		w.outlets.page = s
		fmt.Fprintf(c.Out, "watch the job at %s\n", s.URL())
	}
	if c := &w.config; c.Record != "" {
		r, err := record.Create(c.Record, w.skeleton(), w.place.Process, 0)
		if err != nil {
			return errors.Join(fmt.Errorf("record the job: %w", err), w.shut())
		}
		w.outlets.record = r
	}
	return nil
}

// shut closes them.
func (w *Watcher) shut() error {
	if w.outlets.forget != nil {
		w.outlets.forget()
	}
	var err error
	if s := w.outlets.page; s != nil {
		err = s.Close()
	}
	w.outlets.mu.Lock()
	defer w.outlets.mu.Unlock()
	if r := w.outlets.record; r != nil {
		w.gap(r.Close(time.Now(), w.outlets.cause))
	}
	return err
}

// gap tells of what the disk has refused.
func (w *Watcher) gap(err error) {
	if err != nil {
		w.config.Log.Warn("the record of the job", "error", err)
		fmt.Fprintf(w.config.Out, "record the job: %v\n", err)
	}
}

// shown reports whether what ranks do is shown somewhere.
func (w *Watcher) shown() bool { return w.outlets.page != nil || w.outlets.record != nil }

// write writes a second of the record.
func (w *Watcher) write() {
	w.outlets.mu.Lock()
	defer w.outlets.mu.Unlock()
	if w.outlets.record == nil {
		return
	}
	j := w.here(board.Events)
	verdict, _ := j.Conclude()
	w.gap(w.outlets.record.Second(j.Taken, &j.Processes[w.place.Process], j.StillSeconds, verdict))
}

// failed writes why the job fails.
func (w *Watcher) failed(cause error) {
	w.outlets.mu.Lock()
	defer w.outlets.mu.Unlock()
	w.outlets.cause = cause.Error()
	if w.outlets.record == nil {
		return
	}
	of := w.place.Process
	if blamed, _ := netio.Blamed(cause); len(blamed) > 0 {
		of = blamed[0]
	}
	var aborted *netio.AbortError
	if errors.As(cause, &aborted) {
		of = aborted.Process
	}
	w.gap(w.outlets.record.Failed(time.Now(), cause.Error(), of))
}

// sample looks at what each rank does, and adds up where its time goes.
func (w *Watcher) sample() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.ranks {
		doing, wait := w.sight.Doing(w.place.First + i)
		if at := w.ranks[i].seconds(doing, wait); at != nil {
			*at += sampleEvery.Seconds()
		}
	}
}

// seconds is where the time goes of a rank that does this.
func (p *progress) seconds(doing state.Doing, wait board.Wait) *float64 {
	switch doing {
	case state.Computing, state.Tasking, state.Moving:
		return &p.spent.Compute
	case state.Handling:
		return &p.spent.Handle
	case state.Waiting:
		switch wait {
		case board.ForCredit, board.ForRoom:
			return &p.spent.Credit
		case board.ForOneSided:
			return &p.spent.Served
		}
		return &p.spent.Idle
	}
	return nil
}
