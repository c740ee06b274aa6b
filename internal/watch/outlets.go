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

// outlets are the requested ones of page, list of jobs, record and trace.
type outlets struct {
	config    *Config
	place     netio.Place
	simulated bool // ranks run in turn with those of other processes
	host      string
	started   time.Time

	page   *page.Server // nil for none
	forget func()       // removes the job from the list of jobs
	mu     sync.Mutex
	record *record.Writer // nil for none; guarded by mu
	trace  *trace.File    // nil for none; for the goroutine that looks
	counts traceCounts    // of the trace, for that goroutine
	cause  string         // of the failure of the job; guarded by mu
}

// open opens the configured outlets. The page shows source; the record begins with first.
func (o *outlets) open(source page.Source, first *state.Job, transport netio.Transport) error {
	if c := o.config; c.HTTP != "" && o.place.Process == 0 {
		secret, ok := transport.(interface{ Encrypted() bool })
		s, err := page.Listen(page.Config{
			Addr: c.HTTP, TLS: ok && secret.Encrypted(), Pprof: c.Pprof, Source: source, Log: c.Log,
		})
		if err != nil {
			return fmt.Errorf("serve the page of the job: %w", err)
		}
		o.page = s
		fmt.Fprintf(c.Out, "watch the job at %s\n", s.URL())
	}
	if o.config.Announce && o.place.Process == 0 {
		o.announce()
	}
	if c := o.config; c.Record != "" {
		r, err := record.Create(c.Record, first, o.place.Process, 0)
		if err != nil {
			return errors.Join(fmt.Errorf("record the job: %w", err), o.shut())
		}
		o.record = r
	}
	if c := o.config; c.Trace != "" {
		f, err := o.openTrace(transport)
		if err != nil {
			return errors.Join(fmt.Errorf("trace the job: %w", err), o.shut())
		}
		o.trace = f
	}
	return nil
}

// announce adds the job to the list of this user. A failure does not end the job.
func (o *outlets) announce() {
	e := jobs.Entry{
		Program: o.config.Program, Job: o.config.Job, Ranks: o.place.Ranks, Processes: o.place.Processes, Started: o.started,
	}
	if s := o.page; s != nil {
		e.URL = s.URL()
	}
	forget, err := jobs.Announce(e)
	if err != nil {
		o.config.Log.Warn("list the job", "error", err)
		return
	}
	o.forget = forget
}

// openTrace begins the file of this process, whose clock is that of the ports. A simulated job has one file, which is
// independent of this machine and of the time.
func (o *outlets) openTrace(transport netio.Transport) (*trace.File, error) {
	c := trace.Config{
		Program: o.config.Program, Job: o.config.Job, Names: func(n uint32) string { return board.Name(n).String() },
	}
	if o.simulated {
		c.Host, c.Last = "a simulated network", o.place.Ranks
		return trace.Join(o.config.Trace, o.place.Process, c)
	}
	c.Process, c.Processes, c.First, c.Last = o.place.Process, o.place.Processes, o.place.First, o.place.Last
	c.Host, c.PID, c.Started = o.host, os.Getpid(), o.started
	if o.place.First < o.place.Last {
		c.Started = time.Now().Add(-transport.Port(o.place.First).Now())
	}
	o.counts = traceCounts{zero: c.Started, last: c.Started}
	return trace.Create(o.config.Trace, c)
}

// drain writes the events of the ranks to the trace.
func (o *outlets) drain() {
	if f := o.trace; f != nil {
		o.refused("trace", f.Drain())
	}
}

// shut closes the outlets.
func (o *outlets) shut() error {
	if o.forget != nil {
		o.forget()
	}
	var err error
	if s := o.page; s != nil {
		err = s.Close()
	}
	if f := o.trace; f != nil {
		o.refused("trace", f.Close())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.record; r != nil {
		o.refused("record", r.Close(time.Now(), o.cause))
	}
	return err
}

// refused reports an error of the disk.
func (o *outlets) refused(what string, err error) {
	if err != nil {
		fmt.Fprintf(o.config.Out, "%s the job: %v\n", what, err)
	}
}

// dumpFlight writes the contents of Go's flight recorder, if it is on, to the folder of the record or the current one.
func (o *outlets) dumpFlight() {
	if f := o.config.Flight; f == nil || !f.Enabled() {
		return
	}
	name := filepath.Join(o.config.Record, fmt.Sprintf("flight-%s-%d.trace", o.host, os.Getpid()))
	file, err := os.Create(name)
	if err == nil {
		_, err = o.config.Flight.WriteTo(file)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		fmt.Fprintf(o.config.Out, "dump the flight recorder: %v\n", err)
		return
	}
	fmt.Fprintf(o.config.Out, "Go's flight recorder is in %s: go tool trace shows it\n", name)
}

// shown reports whether an outlet shows the activity of ranks.
func (o *outlets) shown() bool {
	return o.page != nil || o.record != nil || o.trace != nil && !o.simulated
}

// second writes a second of the record.
func (o *outlets) second(here func(events int) *state.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.record == nil {
		return
	}
	j := here(board.Events)
	verdict, _ := j.Conclude()
	o.refused("record", o.record.Second(j.Taken, &j.Processes[0], j.StillSeconds, verdict))
}

// failed records the cause of the failure of the job.
func (o *outlets) failed(cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cause = cause.Error()
	if o.record == nil {
		return
	}
	of := o.place.Process
	if blamed, _ := netio.Blamed(cause); len(blamed) > 0 {
		of = blamed[0]
	}
	var aborted *netio.AbortError
	if errors.As(cause, &aborted) {
		of = aborted.Process
	}
	o.refused("record", o.record.Failed(time.Now(), cause.Error(), of))
}
