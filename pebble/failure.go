package pebble

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/netio"
)

// PanicError is the error of a job that ended because a rank's function or a handler panicked.
type PanicError struct {
	Rank  int
	Value any    // what panic was called with
	Stack []byte // of the goroutine that panicked, as runtime/debug.Stack gives it
}

func (e *PanicError) Error() string { return fmt.Sprintf("rank %d panicked: %v", e.Rank, e.Value) }

// Unwrap returns the panic's value when it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// LimitError is the error of a job in which a rank needed more memory for frames, queues and caches than
// Config.MemoryLimit allows.
type LimitError struct {
	Rank   int
	Target string // the target whose pebbles found no room
	Needed int64  // bytes that the rank would have held
	Limit  int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("rank %d: target %q needs %d bytes for pebbles that wait, the memory limit is %d: "+
		"raise the memory limit, use more ranks, or let handlers send less at once", e.Rank, e.Target, e.Needed, e.Limit)
}

// RegistrationError is the error of a job that registered something that can't work, or not the same on all ranks.
type RegistrationError struct {
	Rank   int
	Target string
	Reason string
}

func (e *RegistrationError) Error() string {
	return fmt.Sprintf("rank %d: register target %q: %s", e.Rank, e.Target, e.Reason)
}

// KeyError is the error of a job in which a pebble was sent to a key outside its target's distribution.
type KeyError struct {
	Rank         int
	Target       string
	Key          uint64
	Distribution string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("rank %d: target %q: a pebble was sent to key %d, which is outside the distribution %s",
		e.Rank, e.Target, e.Key, e.Distribution)
}

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

// Follower tells whether err is the error of a job that another process ended: by a failure of its own, or by its loss.
// Such a process should end quietly, so that the first failure stands out.
func Follower(err error) bool {
	var aborted *netio.AbortError
	var lost *netio.LostError
	return errors.As(err, &aborted) || errors.As(err, &lost)
}

// fail ends the job and leaves the user's code.
func (r *Rank) fail(cause error) {
	r.job.fail(cause)
	panic(unwind{})
}

// misuse panics: a call was made where docs/contract.md does not allow it.
func misuse(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
}
