package engine

import "fmt"

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

// misuse panics: a call was made where docs/contract.md does not allow it.
func misuse(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
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
