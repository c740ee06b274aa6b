package engine

import (
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// Watcher is told when the ranks of this process begin to run, when the job fails, and when they have ended.
type Watcher interface {
	// Begin comes before the first rank runs.
	Begin(s *Sight)
	// Failing comes with the first failure, before ranks here know of it. What it returns is the failure from then on:
	// the same, or with more words. It may be called from any goroutine, and must not wait.
	Failing(cause error) error
	// End comes when the ranks have ended, and before the transport is closed.
	End()
}

// Sight is what a watcher sees of the ranks of this process: what they publish. Any goroutine may use it, until the
// watcher's End has returned.
type Sight struct{ job *job }

// Place says which ranks are here.
func (s *Sight) Place() netio.Place { return s.job.place }

// Transport is what connects the job's processes.
func (s *Sight) Transport() netio.Transport { return s.job.transport }

// Fail ends the job.
func (s *Sight) Fail(cause error) { s.job.fail(cause) }

// Rank tells what a rank of this process has published, but for its events and how long it has stood still.
func (s *Sight) Rank(rank int) state.Rank {
	told := state.Rank{Rank: rank}
	i := rank - s.job.place.First
	b := &s.job.boards[i]
	b.Read(&told)
	told.Doing = s.doing(i, told.Wait != "", &told)
	if told.Doing != state.Waiting {
		told.Wait, told.For = "", -1
	}
	return told
}

// Progress is how far a rank of this process has come, and whether it waits.
func (s *Sight) Progress(rank int) (moved uint64, waits bool) {
	b := s.Board(rank)
	return b.Moved(), b.WaitsFor() != board.Nothing
}

// Board is the board of a rank of this process.
func (s *Sight) Board(rank int) *board.Board { return &s.job.boards[rank-s.job.place.First] }

// Doing is what a rank of this process does, and what it waits for if it does.
func (s *Sight) Doing(rank int) (state.Doing, board.Wait) {
	wait := s.Board(rank).WaitsFor()
	var told state.Rank
	return s.doing(rank-s.job.place.First, wait != board.Nothing, &told), wait
}

// doing says what a rank does, and in which target's handler it is. Its mode is a word that the rank alone writes, and
// no synchronization says so: see package board.
//
//go:norace
func (s *Sight) doing(i int, waits bool, told *state.Rank) state.Doing {
	r := s.job.running[i].Load()
	if r == nil && s.job.boards[i].Begun() {
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
func (s *Sight) Ask() {
	for i := range s.job.boards {
		s.job.boards[i].Ask()
		s.job.ports[i].Wake()
	}
}
