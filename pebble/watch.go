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

// Watch says how a job is watched while it runs (docs/guide-watching.md). What ranks publish for it costs them
// nanoseconds, so it is always on; the zero value has a job that stands still reported after 30 s.
type Watch struct {
	// Name is what the job is called; "" is the name of the program.
	Name string
	// Stall is for how long no rank of the job may make progress while some wait, before process 0 writes a report of the
	// whole job: who waits for what, and for whom. Progress is counted, exactly: pebbles, frames, operations, tasks,
	// epochs, collectives and what Rank.Status says. Time counts only while the process runs. 0 is 30 s; negative is
	// never. The job goes on.
	Stall time.Duration
	// StallExit ends the job then, with a [StallError].
	StallExit bool
	// HTTP is where process 0 serves a page for whoever watches the job, and metrics for Prometheus: a port of the
	// loopback interface, such as "8080", or a host or interface and a port. "" is nowhere. Its address, with a token that
	// opens it, is written to Out.
	HTTP string
	// Pprof has the page serve Go's profiles too, under /debug/pprof/.
	Pprof bool
	// Record is the folder to which each process writes what its ranks do, second by second, for "pebbles report": at
	// most 64 MiB each, readable also after all were killed. "" is none.
	Record string
	// Trace is a file for what each rank does, batch by batch, as Perfetto (ui.perfetto.dev) shows it: epochs, handlers,
	// flushes, tasks, waits. Of several processes each writes one of its own, with its number in the name, and "pebbles
	// trace" joins them. What is frequent is sampled, and a file has at most 256 MiB. "" is none.
	Trace string
	// FlightRecorder is Go's own, if the program runs one: process 0 dumps it beside the report of a job that stands
	// still, into Record or else the working directory.
	FlightRecorder *trace.FlightRecorder
	// List has the job listed for its user, while it runs, for "pebbles ps" and "pebbles top". Jobs of [Main] are.
	List bool
	// Out is where reports go; nil is standard error.
	Out io.Writer
}

// StallError is the error of a job that has stood still for as long as it may (Watch.Stall), where that is to end it
// (Watch.StallExit).
type StallError struct {
	Verdict string // who waits for what, and for whom: one sentence
	After   time.Duration
}

func (e *StallError) Error() string {
	return fmt.Sprintf("the job has stood still for %v: %s", e.After, e.Verdict)
}

// Status is the exit status of a program that ends by it.
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

// settings are those in use, by the names of their flags.
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

// topologyName is the name of the topology; "" where it would take long to make, or does not go with so many ranks,
// which the first target tells of.
func (c *Config) topologyName() (name string) {
	if c.Ranks > explainedTogether {
		return ""
	}
	defer func() { _ = recover() }()
	return c.Topology(c.Ranks).Name()
}

// Status says in one line what the application is at, such as "level 7, frontier 1,000,000", for those who watch the
// job. It counts as progress. It costs some 50 ns besides making the text, so a program may call it several times a
// second, and should not for each pebble. Any goroutine may call it, while the rank's function runs.
func (r *Rank) Status(text string) { r.engine.Publisher.SetStatus(text) }
