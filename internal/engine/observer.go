package engine

import (
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// Watcher is notified when the ranks of this process begin to run, when the job fails, and when the ranks have ended.
type Watcher interface {
	// Begin is called before the first rank runs.
	Begin(o *Observer)
	// Failing is called with the first failure, before ranks here see it. Its result is the failure from then on: the
	// same error, or one with more text. It may be called from any goroutine, and must not wait.
	Failing(cause error) error
	// End is called when the ranks have ended, before the transport is closed.
	End()
}

// Observer reads the state that the ranks of this process publish, for a watcher. Any goroutine may use it, until the
// watcher's End has returned.
type Observer struct{ job *job }

// Place returns the ranks of this process.
func (o *Observer) Place() netio.Place { return o.job.place }

// Transport returns the transport between the job's processes.
func (o *Observer) Transport() netio.Transport { return o.job.transport }

// Fail ends the job.
func (o *Observer) Fail(cause error) { o.job.fail(cause) }

// Rank returns the published state of a rank of this process, without its events and the time that it has stood still.
func (o *Observer) Rank(rank int) state.Rank {
	told := state.Rank{Rank: rank}
	i := rank - o.job.place.First
	b := &o.job.boards[i]
	b.Read(&told)
	told.Doing = o.doing(i, told.Wait != "", &told)
	if told.Doing != state.Waiting {
		told.Wait, told.For = "", -1
	}
	return told
}

// Progress returns the progress of a rank of this process, and whether it waits.
func (o *Observer) Progress(rank int) (moved uint64, waits bool) {
	b := o.Board(rank)
	return b.Moved(), b.WaitsFor() != board.Nothing
}

// Board returns the board of a rank of this process.
func (o *Observer) Board(rank int) *board.Board { return &o.job.boards[rank-o.job.place.First] }

// Doing returns the activity of a rank of this process, and the event that it waits for, if any.
func (o *Observer) Doing(rank int) (state.Doing, board.Wait) {
	wait := o.Board(rank).WaitsFor()
	var told state.Rank
	return o.doing(rank-o.job.place.First, wait != board.Nothing, &told), wait
}

// doing returns a rank's activity, and sets the target of its handler. The rank alone writes its mode, and no
// synchronization says so: see package board.
//
//go:norace
func (o *Observer) doing(i int, waits bool, told *state.Rank) state.Doing {
	r := o.job.running[i].Load()
	if r == nil && o.job.boards[i].Begun() {
		return state.Ended
	}
	if r == nil {
		return state.Starting
	}
	switch in := r.mode; {
	case in == over:
		return state.Ended
	case in == handler || in == nested && !waits:
		if t := r.handling; t != nil {
			told.Target = t.Name
		}
		return state.Handling
	case in&^1 == task:
		return state.Tasking
	case in == body || in == outside:
		return state.Computing
	case waits:
		return state.Waiting
	}
	return state.Moving
}

// Ask requests details from all ranks. Parked ranks are woken.
func (o *Observer) Ask() {
	for i := range o.job.boards {
		o.job.boards[i].Ask()
		o.job.ports[i].Wake()
	}
}
