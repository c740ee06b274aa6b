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
	detailsTime = 100 * time.Millisecond // for ranks to publish details; publishing takes them microseconds
	answersTime = 1500 * time.Millisecond
	eventsTold  = 16 // of each rank in a report
	fullMost    = 64 // processes that all tell their stacks
)

// Job returns the state of the job. In process 0 it covers all processes, and is at most a second old for those that
// answer. Elsewhere it covers only this process. It takes up to 0.2 s. Any goroutine may call it.
func (w *Watcher) Job() *state.Job {
	if !w.begun() {
		return w.here(0)
	}
	own := make(chan struct{})
	go func() {
		w.detail()
		close(own)
	}()
	w.peers.ask(w.peers.all(), false, 2*detailsTime, w.over)
	<-own
	return w.job(0)
}

// Report returns a report of the whole job, or nil before the ranks run. In a large job it has the stacks of the ranks
// apart from the others, and of one at each place. It takes up to 2 s. Any goroutine may call it.
func (w *Watcher) Report() *state.Report {
	if !w.begun() {
		return nil
	}
	w.peers.takeStacks() // late answers to an earlier request
	own := make(chan []state.Calls, 1)
	go func() { own <- w.calls() }()
	asked, limit := w.peers.all(), answersTime
	if len(asked) >= fullMost {
		limit /= 2
		w.peers.ask(asked, false, limit, w.over)
		asked = w.job(0).Witnesses()
	}
	w.peers.ask(asked, true, limit, w.over)
	all := append(<-own, w.peers.takeStacks()...)
	j := w.job(eventsTold)
	return state.MakeReport(j, all)
}

// job returns the last states of all processes, with the last events of each rank.
func (w *Watcher) job(events int) *state.Job {
	j := w.here(events)
	w.peers.fill(j, w.host)
	j.Verdict, _ = j.Conclude()
	return j
}

// here returns the job as this process sees it, with the last events of each rank.
func (w *Watcher) here(events int) *state.Job {
	j := w.skeleton()
	w.mu.Lock()
	defer w.mu.Unlock()
	j.StillSeconds, j.Stalled = w.stands.still.Seconds(), w.stands.told
	if w.sight != nil {
		if c, ok := w.sight.Transport().(netio.Connected); ok {
			j.Processes[0].Connections = c.Connections()
		}
		j.Processes[0].Ranks = w.own(events)
	}
	return j
}

// skeleton returns the job without its ranks: in process 0 with all processes, elsewhere with this one only. The first
// process is this one.
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

// process returns the state of this process, after its ranks have had time to publish details, and their stacks.
func (w *Watcher) process(full bool) (*state.Process, []state.Calls) {
	var all []state.Calls
	events := 0
	switch {
	case full && w.simulated: // process 0 sees the stacks
		events = eventsTold
	case full:
		all, events = w.calls(), eventsTold
	case !w.simulated:
		w.detail()
	}
	return &w.here(events).Processes[0], all
}

// own returns the states of this process's ranks, with the given number of events, all of rank 0. The caller holds mu.
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

// begun reports whether the ranks run.
func (w *Watcher) begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sight != nil
}

// detail asks the ranks to publish details, and gives them time. It does not ask simulated ranks: waking them would
// change the simulation.
func (w *Watcher) detail() {
	if !w.simulated {
		w.sight.Ask()
	}
	select {
	case <-time.After(detailsTime):
	case <-w.over:
	}
}

// calls returns the stacks of the ranks of this process. It looks twice, to find the ranks that move.
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
