package pebble

import (
	"cmp"
	"fmt"
	"io"
	"runtime/trace"
	"strconv"
	"time"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch"
)

// Watch configures the observation of a running job (docs/guide-watching.md). Ranks publish their state at a cost of
// nanoseconds, so it is always on; with the zero value, a job that stands still is reported after 30 s.
type Watch struct {
	// Name is the name of the job; "" is the name of the program.
	Name string
	// Stall is the time without progress of any rank, while some wait, after which process 0 writes a report of the
	// whole job: the ranks that wait, the events and the ranks that they wait for. Progress is counted exactly:
	// pebbles, frames, operations, tasks, epochs, collectives and calls of Rank.Status. Time counts only while the
	// process runs. 0 is 30 s; negative is never. The job goes on.
	Stall time.Duration
	// StallExit ends a job that stands still with a [StallError].
	StallExit bool
	// HTTP is the address at which process 0 serves a page that shows the job, and metrics for Prometheus: a port of
	// the loopback interface, such as "8080", or a host or interface and a port. "" is none. The URL, with the token
	// that opens the page, is written to Out.
	HTTP string
	// Pprof makes the page serve Go's profiles too, under /debug/pprof/.
	Pprof bool
	// Record is the folder into which each process writes its ranks' activity, second by second, for "pebbles report":
	// at most 64 MiB each, readable even after all were killed. "" is none.
	Record string
	// Trace is a file for each rank's activity, batch by batch, for Perfetto (ui.perfetto.dev): epochs, handlers,
	// flushes, tasks, waits. Each of several processes writes its own file, with its number in the name; "pebbles
	// trace" joins them. Frequent events are sampled, and a file has at most 256 MiB. "" is none.
	Trace string
	// FlightRecorder is Go's flight recorder, if the program runs one. When the job stands still, process 0 dumps it
	// beside the report, into Record or else the working directory.
	FlightRecorder *trace.FlightRecorder
	// List lists the job for its user, while it runs, for "pebbles ps" and "pebbles top". Jobs of [Main] are listed.
	List bool
	// Out receives reports; nil is standard error.
	Out io.Writer
}

// StallError is the error of a job that Watch.StallExit ended, since it had stood still for the time of Watch.Stall.
type StallError struct {
	Verdict string // one sentence: the ranks that wait, for which events and ranks
	After   time.Duration
}

func (e *StallError) Error() string {
	return fmt.Sprintf("the job has stood still for %v: %s", e.After, e.Verdict)
}

// Status returns the exit status of a program that ends with the error.
func (e *StallError) Status() int { return launch.ExitStalled }

// watcher makes the watcher of a job with a complete configuration.
func (c *Config) watcher() (*watch.Watcher, error) {
	w := watch.Config{
		Stall: cmp.Or(c.Watch.Stall, watch.StallDefault), Out: c.Watch.Out, Program: c.Watch.Name, Job: c.started.job,
		Settings: c.settings, Bound: c.MemoryLimit, Log: c.Log, Transport: c.Transport.Name(),
		Announce: c.Watch.List, Flight: c.Watch.FlightRecorder, Trace: c.Watch.Trace,
		HTTP: c.Watch.HTTP, Pprof: c.Watch.Pprof, Record: c.Watch.Record,
	}
	if w.Out == nil {
		w.Out = launch.Stderr()
	}
	if c.Watch.StallExit {
		w.Stalled = func(verdict string) error { return &StallError{verdict, w.Stall} }
	}
	made, err := watch.New(w, c.Transport)
	if err != nil {
		return nil, fmt.Errorf("pebble: watch: %w", err)
	}
	return made, nil
}

// settings returns the settings in use, by the names of their flags.
func (c *Config) settings() map[string]string {
	all := map[string]string{
		"ranks": strconv.Itoa(c.Ranks), "transport": c.Transport.Name(), "coalesce": strconv.Itoa(c.Coalesce),
		"cache": strconv.Itoa(c.Cache), "address-cache": strconv.Itoa(max(0, c.AddressCache)),
		"page-cache": values.BytesText(c.PageCache), "memory": values.BytesText(c.MemoryLimit),
		"buffers": values.BytesText(c.BufferBudget), "due": values.WaitText(c.Due),
	}
	if name := c.topologyName(); name != "" {
		all["topology"] = name
	}
	if c.Credits > 0 {
		all["credits"] = strconv.Itoa(c.Credits)
	}
	if t := c.Tuning; t != nil {
		all["auto"] = fmt.Sprintf("topology %v, coalesce %v, cache %v", t.Topology, t.Coalesce, t.Cache)
	}
	return all
}

// topologyName returns the name of the topology; "" if it would take long to make, or does not support the number of
// ranks, which the first target then reports.
func (c *Config) topologyName() (name string) {
	if c.Ranks > explainedTogether {
		return ""
	}
	defer func() { _ = recover() }()
	return c.Topology(c.Ranks).Name()
}

// Status publishes in one line the state of the application, such as "level 7, frontier 1,000,000", for observers of
// the job. It counts as progress. It costs some 50 ns besides making the text: call it several times a second, not for
// each pebble. Any goroutine may call it while the rank's function runs.
func (r *Rank) Status(text string) { r.engine.Publisher.SetStatus(text) }
