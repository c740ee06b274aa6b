package engine

import "fmt"

// rankError says which rank's function returned an error.
type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

// unwind is what a rank panics with to leave the user's code after the job has failed. [Rank.Epoch], the collectives and
// the end of the rank's function catch it and return the job's error instead.
type unwind struct{}

func (unwind) Error() string { return "pebble: the job has failed; this unwinds the rank" }

// Fail ends the job and leaves the user's code.
func (r *Rank) Fail(cause error) {
	r.job.fail(cause)
	unwindProgram()
}

// misuse panics: a call was made where docs/contract.md does not allow it.
func misuse(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
}
