package watch

import (
	"os"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/stacks"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

const (
	detailsTime = 100 * time.Millisecond // that ranks have to publish details; those that can, take microseconds
	answersTime = 1500 * time.Millisecond
	eventsTold  = 16 // of each rank, for a report
)

// Job is what is known of the job now. In process 0 it is of all processes, at most a second old where they answer;
// elsewhere of this process alone. It takes up to 0.2 s. Any goroutine may call it.
func (w *Watcher) Job() *state.Job {
	if !w.begun() {
		return w.here(0)
	}
	own := make(chan struct{})
	go func() {
		w.detail()
		close(own)
	}()
	w.gather(false, 2*detailsTime)
	<-own
	return w.job(0)
}

// Report makes a report of the whole job now. It takes up to 2 s. Any goroutine may call it.
func (w *Watcher) Report() *state.Report {
	if !w.begun() {
		return nil
	}
	w.mu.Lock()
	w.stacks = nil
	w.mu.Unlock()
	own := make(chan []state.Calls, 1)
	go func() { own <- w.calls() }()
	w.gather(true, answersTime)
	all := <-own
	j := w.job(eventsTold)
	w.mu.Lock()
	all = append(all, w.stacks...)
	w.mu.Unlock()
	return state.MakeReport(j, all)
}

// gather asks all processes for their state, and waits until all have told, at most for so long.
func (w *Watcher) gather(full bool, most time.Duration) {
	if w.place.Process != 0 || w.noter == nil {
		return
	}
	began, limit := time.Now(), time.NewTimer(most)
	defer limit.Stop()
	for p := 1; p < w.place.Processes; p++ {
		w.send(p, note{Ask: &ask{full}})
	}
	for {
		w.mu.Lock()
		answer, all := w.answer, true
		for _, o := range w.others[1:] {
			all = all && !o.stated.Before(began)
		}
		w.mu.Unlock()
		if all {
			return
		}
		select {
		case <-answer:
		case <-limit.C:
			return
		case <-w.over:
			return
		}
	}
}

// job puts together what is known.
func (w *Watcher) job(events int) *state.Job {
	j := w.here(events)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.others {
		if i == 0 {
			continue
		}
		o := &w.others[i]
		p := j.Processes[i]
		if o.state != nil {
			p = *o.state
		}
		p.SilentSeconds = o.heard.Seconds()
		p.Stopped = p.SilentSeconds > 2 && p.Host == w.host && stopped(p.PID)
		j.Processes[i] = p
	}
	j.Verdict, _ = j.Conclude()
	return j
}

// here is the job as far as this process alone knows it, with so many of the last events of each rank.
func (w *Watcher) here(events int) *state.Job {
	j := w.skeleton()
	w.mu.Lock()
	defer w.mu.Unlock()
	j.StillSeconds, j.Stalled = w.still.Seconds(), w.told
	if w.sight != nil {
		j.Processes[0].Ranks = w.own(events)
	}
	return j
}

// skeleton is the job without its ranks: in process 0 with all processes, elsewhere with its own alone. The first one
// is this one.
func (w *Watcher) skeleton() *state.Job {
	j := &state.Job{
		Program: w.config.Program, ID: w.config.Job, Ranks: w.place.Ranks, Transport: w.config.Transport,
		Settings: w.settings(), Started: w.started, Taken: time.Now(), Processes: make([]state.Process, 1),
	}
	if w.place.Process == 0 {
		j.Processes = make([]state.Process, w.place.Processes)
	}
	for i := range j.Processes {
		at := netio.PlaceOf(w.place.Ranks, w.place.Processes, i)
		j.Processes[i] = state.Process{Process: i, First: at.First, Last: at.Last}
	}
	j.Processes[0] = state.Process{
		Process: w.place.Process, Host: w.host, PID: os.Getpid(), First: w.place.First, Last: w.place.Last,
		Resident: cpu.Resident(), Bound: w.config.Bound * int64(w.place.Last-w.place.First),
	}
	return j
}

// process is this process, after its ranks have had the time to publish details; and their stacks.
func (w *Watcher) process(full bool) (*state.Process, []state.Calls) {
	var all []state.Calls
	events := 0
	switch {
	case full && w.simulated: // whose stacks process 0 sees
		events = eventsTold
	case full:
		all, events = w.calls(), eventsTold
	case !w.simulated:
		w.detail()
	}
	return &w.here(events).Processes[0], all
}

// own is what the ranks of this process have published, with so many events each; of rank 0 with all. Its caller has
// the lock.
func (w *Watcher) own(events int) (all []state.Rank) {
	for i := range w.ranks {
		r := w.sight.Rank(w.place.First + i)
		r.StillSeconds = w.ranks[i].still.Seconds()
		epochs := r.Seconds.Epochs
		r.Seconds = w.ranks[i].spent
		r.Seconds.Epochs = epochs
		if r.Rank == 0 {
			r.Events = w.sight.Board(r.Rank).Last(board.Events)
		} else if events > 0 {
			r.Events = w.sight.Board(r.Rank).Last(events)
		}
		all = append(all, r)
	}
	return all
}

// begun reports whether the job's ranks run.
func (w *Watcher) begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sight != nil
}

// detail has ranks publish details. Simulated ranks are left alone: what wakes them from outside would change what is
// simulated.
func (w *Watcher) detail() {
	if !w.simulated {
		w.sight.Ask()
	}
	select {
	case <-time.After(detailsTime):
	case <-w.over:
	}
}

// calls are the stacks of the ranks here, and whether they move: seen twice.
func (w *Watcher) calls() []state.Calls {
	first := stacks.Calls()
	w.detail()
	second := stacks.Calls()
	for i := range second {
		s := &second[i]
		s.Moves = !slices.ContainsFunc(first, func(f state.Calls) bool {
			return slices.Equal(f.Calls, s.Calls) && slices.Equal(f.Ranks, s.Ranks)
		})
	}
	return second
}
