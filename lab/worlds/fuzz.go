package worlds

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Options configure Try.
type Options struct {
	Seed       uint64
	Worlds     uint64             // maximum number; 0 is no limit
	Saving     bool               // only worlds that save their state
	Connecting bool               // only worlds in which processes connect
	Workers    int                // worlds at a time; 0 is 1
	Progress   func(Report)       // called from time to time, on any goroutine, one call at a time; may be nil
	Stuck      func(World, error) // called when a world has not ended in time and may hang; nil: panic
}

// Report sums the worlds so far.
type Report struct {
	Seed    uint64 `json:"seed"`
	Worlds  uint64 `json:"worlds"`
	Failed  uint64 `json:"failed_as_promised"` // worlds whose faults had to end the job with a named error
	Resumed uint64 `json:"resumed"`            // worlds with a job that continued from a checkpoint
	Crossed uint64 `json:"crossed"`            // connections that both ends have dialled
	Pebbles uint64 `json:"pebbles"`            // of the worlds that did not fail
	Frames  uint64 `json:"frames"`
	Turns   uint64 `json:"turns"`
}

// Failure is a world with a mistake.
type Failure struct {
	World World
	Err   error
	Drawn World // before shrinking
}

func (f *Failure) Error() string { return fmt.Sprintf("%v\nworld: %v", f.Err, f.World) }
func (f *Failure) Unwrap() error { return f.Err }

const (
	shrinkRuns  = 2000
	stuckAfter  = 5 * time.Minute // of real time; worlds take milliseconds, beside other load
	reportEvery = 1 << 10         // worlds
)

// Try runs worlds in the order of their numbers, until ctx ends, Worlds have run, or one fails. It shrinks that one and
// returns it as a [Failure].
func Try(ctx context.Context, o Options) (Report, error) {
	t := &trial{Options: o, report: Report{Seed: o.Seed}}
	var running sync.WaitGroup
	for range max(1, o.Workers) {
		running.Go(func() { t.work(ctx) })
	}
	running.Wait()
	if t.failure == nil {
		return t.report, nil
	}
	f := t.failure
	f.World, f.Err = Shrink(f.Drawn, f.Err, shrinkRuns)
	return t.report, f
}

// trial is one call of Try.
type trial struct {
	Options
	mu      sync.Mutex
	next    uint64
	report  Report
	failure *Failure
}

func (t *trial) work(ctx context.Context) {
	for ctx.Err() == nil {
		number, ok := t.take()
		if !ok {
			return
		}
		draw := Draw
		switch {
		case t.Saving:
			draw = drawSaving
		case t.Connecting:
			draw = drawConnecting
		}
		w := draw(mix(t.Seed, number))
		o, err := t.watched(w)
		t.add(w, o, err)
	}
}

func (t *trial) take() (number uint64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure != nil || t.Worlds > 0 && t.next == t.Worlds {
		return 0, false
	}
	t.next++
	return t.next - 1, true
}

func (t *trial) add(w World, o Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		if t.failure == nil {
			t.failure = &Failure{Drawn: w, Err: err}
		}
		return
	}
	r := &t.report
	r.Worlds++
	r.Frames += o.Stats.Frames
	r.Turns += o.Stats.Turns
	r.Crossed += uint64(o.Crossed)
	if o.Resumed {
		r.Resumed++
	}
	if o.Failed {
		r.Failed++
	} else {
		r.Pebbles += uint64(o.Pebbles)
	}
	if t.Progress != nil && r.Worlds%reportEvery == 0 {
		t.Progress(*r)
	}
}

// watched runs a world, and reports when it does not end: a loop that never polls the network stops its world.
func (t *trial) watched(w World) (o Outcome, err error) {
	timer := time.AfterFunc(stuckAfter, func() {
		err := fmt.Errorf("worlds: not ended after %v", stuckAfter)
		if t.Stuck == nil {
			panic(fmt.Sprintf("%v: %v", err, w))
		}
		t.Stuck(w, err)
	})
	defer timer.Stop()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("worlds: panic: %v\n%s", value, debug.Stack())
		}
	}()
	return w.Run()
}
