package engine

import (
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// Watcher is told when the ranks of this process begin to run, when the job fails, and when they have ended.
type Watcher interface {
	// Begin comes before the first rank runs.
	Begin(o *Observer)
	// Failing comes with the first failure, before ranks here know of it. What it returns is the failure from then on:
	// the same, or with more words. It may be called from any goroutine, and must not wait.
	Failing(cause error) error
	// End comes when the ranks have ended, and before the transport is closed.
	End()
}

// Observer reads the state that the ranks of this process publish, for a watcher. Any goroutine may use it, until the
// watcher's End has returned.
type Observer struct{ job *job }

// Place says which ranks are here.
func (o *Observer) Place() netio.Place { return o.job.place }

// Transport is what connects the job's processes.
func (o *Observer) Transport() netio.Transport { return o.job.transport }

// Fail ends the job.
func (o *Observer) Fail(cause error) { o.job.fail(cause) }

// Rank tells what a rank of this process has published, but for its events and how long it has stood still.
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

// Progress is how far a rank of this process has come, and whether it waits.
func (o *Observer) Progress(rank int) (moved uint64, waits bool) {
	b := o.Board(rank)
	return b.Moved(), b.WaitsFor() != board.Nothing
}

// Board is the board of a rank of this process.
func (o *Observer) Board(rank int) *board.Board { return &o.job.boards[rank-o.job.place.First] }

// Doing is what a rank of this process does, and what it waits for if it does.
func (o *Observer) Doing(rank int) (state.Doing, board.Wait) {
	wait := o.Board(rank).WaitsFor()
	var told state.Rank
	return o.doing(rank-o.job.place.First, wait != board.Nothing, &told), wait
}

// doing says what a rank does, and in which target's handler it is. Its mode is a word that the rank alone writes, and
// no synchronization says so: see package board.
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

// Ask asks all ranks for details. Those that are parked are woken.
func (o *Observer) Ask() {
	for i := range o.job.boards {
		o.job.boards[i].Ask()
		o.job.ports[i].Wake()
	}
}
