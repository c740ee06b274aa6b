package engine

import (
	"fmt"
	"runtime/debug"
)

// rankError says which rank's function returned an error.
type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

// StuckError says where ranks are that were left behind when the job had failed.
type StuckError struct{ text string }

func (e *StuckError) Error() string { return e.text }

// unwind is what a rank panics with to leave the user's code after the job has failed. [Rank.Epoch], the collectives
// and the end of the rank's function catch it and return the job's error instead.
type unwind struct{}

func (unwind) Error() string { return "pebble: the job has failed; this unwinds the rank" }

// Fail ends the job and leaves the user's code.
func (c *caller) Fail(cause error) {
	c.job.fail(cause)
	unwindProgram()
}

// room is the package of most calls that the engine looks at.
const room = "pebble"

// Misuse ends the job, and panics with the same words: a call was made that docs/contract.md does not allow there. A
// program that recovers goes on in a job that has failed. Room is the package whose call it was.
func (c *caller) Misuse(room, format string, args ...any) {
	if c.mode != over && c.job.failed.Load() {
		unwindProgram() // what is deferred when the job has failed is no mistake
	}
	words := fmt.Sprintf("%s: rank %d: %s", room, c.id, fmt.Sprintf(format, args...))
	if c.job.runs() {
		c.job.fail(c.rank.panicked(words, debug.Stack()))
	}
	panic(words)
}

// place says in which part of the program the rank is. Another goroutine asks, when the rank has not come back to the
// runtime for seconds: it does not write what is read here, but no synchronization says so.
//
//go:norace
func (r *Rank) place() string {
	switch in := r.mode &^ 1; {
	case in == handler && r.handling != nil:
		return fmt.Sprintf("a handler of target %q", r.handling.Name)
	case in == task:
		return "a task"
	case in == body:
		return "the body of an epoch"
	}
	return "its function"
}
