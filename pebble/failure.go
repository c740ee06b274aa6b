package pebble

import (
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
	Cause  LimitCause
}

// LimitCause is what the memory was needed for that was beyond the limit.
type LimitCause uint8

const (
	FromHandlers LimitCause = iota // pebbles that handlers sent, or that passed through, and that can't wait
	FromMain                       // buffers that the main function fills: other sends of it wait for room
	FromCaches                     // reduction caches
)

func (e *LimitError) Error() string {
	needs := [...]string{"pebbles that wait", "buffers of the main function", "reduction caches"}
	advice := [...]string{
		"raise the memory limit, use more ranks, or let handlers send less at once",
		"raise the memory limit, lower the coalescing factor, use a topology with fewer neighbours, or send smaller pebbles",
		"raise the memory limit, or ask for a smaller cache",
	}
	return fmt.Sprintf("rank %d: target %q needs %d bytes for %s, the memory limit is %d: %s",
		e.Rank, e.Target, e.Needed, needs[e.Cause], e.Limit, advice[e.Cause])
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

// Follower tells whether err is the error of a job that another process ended: by a failure of its own, by its loss, or
// because it was missing at the start. Such a process should end quietly, so that the first failure stands out.
func Follower(err error) bool { return netio.Followed(err) }

// fail ends the job and leaves the user's code.
func (r *Rank) fail(cause error) {
	r.job.fail(cause)
	unwindProgram()
}

// misuse panics: a call was made where docs/contract.md does not allow it.
func misuse(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
}
