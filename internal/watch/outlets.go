package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/jobs"
	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/record"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/netio"
)

// outlets are where what is watched goes besides reports.
type outlets struct {
	page   *page.Server // nil for none
	forget func()       // takes the job off the list of jobs
	mu     sync.Mutex
	record *record.Writer // nil for none; guarded by mu
	trace  *trace.File    // nil for none; for the goroutine that looks
	counts traceCounts    // of the trace, for that goroutine
	cause  string         // why the job has failed; guarded by mu
}

// sampleEvery is how often somebody looks at what ranks do, where it is shown.
const (
	sampleEvery     = 50 * time.Millisecond
	samplesPerDrain = 5 // of the trace
)

// open opens the page and the record.
func (w *Watcher) open(transport netio.Transport) error {
	if c := &w.config; c.HTTP != "" && w.place.Process == 0 {
		s, err := page.Listen(page.Config{Addr: c.HTTP, Pprof: c.Pprof, Source: w, Log: c.Log})
		if err != nil {
			return fmt.Errorf("serve the page of the job: %w", err)
		}
		w.outlets.page = s
		fmt.Fprintf(c.Out, "watch the job at %s\n", s.URL())
	}
	if w.config.Announce && w.place.Process == 0 {
		w.announce()
	}
	if c := &w.config; c.Record != "" {
		r, err := record.Create(c.Record, w.skeleton(), w.place.Process, 0)
		if err != nil {
			return errors.Join(fmt.Errorf("record the job: %w", err), w.shut())
		}
		w.outlets.record = r
	}
	if c := &w.config; c.Trace != "" {
		f, err := w.openTrace(transport)
		if err != nil {
			return errors.Join(fmt.Errorf("trace the job: %w", err), w.shut())
		}
		w.outlets.trace = f
	}
	return nil
}

// announce lists the job for this user. A job that can't be listed runs all the same.
func (w *Watcher) announce() {
	e := jobs.Entry{
		Program: w.config.Program, Job: w.config.Job, Ranks: w.place.Ranks, Processes: w.place.Processes, Started: w.started,
	}
	if s := w.outlets.page; s != nil {
		e.URL = s.URL()
	}
	forget, err := jobs.Announce(e)
	if err != nil {
		w.config.Log.Warn("list the job", "error", err)
		return
	}
	w.outlets.forget = forget
}

// openTrace begins this process's file, whose clock is that of the ports. A simulated job has one file, in which
// nothing is of this machine or hour.
func (w *Watcher) openTrace(transport netio.Transport) (*trace.File, error) {
	c := trace.Config{
		Program: w.config.Program, Job: w.config.Job, Names: func(n uint32) string { return board.Name(n).String() },
	}
	if w.simulated {
		c.Host, c.Last = "a simulated network", w.place.Ranks
		return trace.Join(w.config.Trace, w.place.Process, c)
	}
	c.Process, c.Processes, c.First, c.Last = w.place.Process, w.place.Processes, w.place.First, w.place.Last
	c.Host, c.PID, c.Started = w.host, os.Getpid(), w.started
	if w.place.First < w.place.Last {
		c.Started = time.Now().Add(-transport.Port(w.place.First).Now())
	}
	w.outlets.counts = traceCounts{zero: c.Started, last: c.Started}
	return trace.Create(w.config.Trace, c)
}

// Trace is where a rank of this process writes its trace; nil for nowhere.
func (w *Watcher) Trace(rank int) *trace.Rank {
	if f := w.outlets.trace; f != nil {
		return f.Rank(rank)
	}
	return nil
}

// drain takes what ranks have written to the trace.
func (w *Watcher) drain() {
	if f := w.outlets.trace; f != nil {
		w.refused("trace", f.Drain())
	}
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
	if f := w.outlets.trace; f != nil {
		w.refused("trace", f.Close())
	}
	w.outlets.mu.Lock()
	defer w.outlets.mu.Unlock()
	if r := w.outlets.record; r != nil {
		w.refused("record", r.Close(time.Now(), w.outlets.cause))
	}
	return err
}

// refused tells of what the disk has refused.
func (w *Watcher) refused(what string, err error) {
	if err != nil {
		fmt.Fprintf(w.config.Out, "%s the job: %v\n", what, err)
	}
}

// dumpFlight writes what Go's flight recorder has, if it is on, into the record's folder or else where the program
// runs.
func (w *Watcher) dumpFlight() {
	if f := w.config.Flight; f == nil || !f.Enabled() {
		return
	}
	name := filepath.Join(w.config.Record, fmt.Sprintf("flight-%s-%d.trace", w.host, os.Getpid()))
	file, err := os.Create(name)
	if err == nil {
		_, err = w.config.Flight.WriteTo(file)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		fmt.Fprintf(w.config.Out, "dump the flight recorder: %v\n", err)
		return
	}
	fmt.Fprintf(w.config.Out, "Go's flight recorder is in %s: go tool trace shows it\n", name)
}

// shown reports whether what ranks do is shown somewhere.
func (w *Watcher) shown() bool {
	return w.outlets.page != nil || w.outlets.record != nil || w.outlets.trace != nil && !w.simulated
}

// write writes a second of the record.
func (w *Watcher) write() {
	w.outlets.mu.Lock()
	defer w.outlets.mu.Unlock()
	if w.outlets.record == nil {
		return
	}
	j := w.here(board.Events)
	verdict, _ := j.Conclude()
	w.refused("record", w.outlets.record.Second(j.Taken, &j.Processes[0], j.StillSeconds, verdict))
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
	w.refused("record", w.outlets.record.Failed(time.Now(), cause.Error(), of))
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
