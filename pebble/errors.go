package pebble

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/engine"
)

// PanicError is the error of a job that ended because a rank's function or a handler panicked.
type PanicError struct {
	Rank  int
	Value any    // what panic was called with
	Stack []byte // of the goroutine that panicked: from the innermost call of the program's on, then what that has called
	Where string // the handler in which it did, its target and its pebble, in words of a line; "" elsewhere
	Site  string // the innermost call of the program's, as "main.go:31"; "" where that is not known
}

func (e *PanicError) Error() string {
	where := ""
	if e.Where != "" {
		where = " in " + e.Where
	}
	return fmt.Sprintf("%srank %d panicked%s: %v", engine.At(e.Site), e.Rank, where, e.Value)
}

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
		"raise the memory limit, lower the coalescing factor, use a topology with fewer neighbours, or send " +
			"smaller pebbles",
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
	// Site is the call of the program's that has found it, as "main.go:31": the send, or a later call when single sends
	// had been gathered, at the latest the epoch. It is "" where that is not known.
	Site         string
	Rank         int
	Target       string
	Key          uint64
	Distribution string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("%srank %d: target %q: a pebble was sent to key %d, which is outside the distribution %s",
		engine.At(e.Site), e.Rank, e.Target, e.Key, e.Distribution)
}

// DepthError is the error of a job in which a handler sent a pebble in a chain that is longer than its epoch's declared
// depth.
type DepthError struct {
	Rank   int
	Target string // whose handler sent
	Depth  int    // as declared
}

func (e *DepthError) Error() string {
	return fmt.Sprintf("rank %d: the handler of target %q sends a pebble that is number %d of its chain, and the "+
		"epoch declares depth %d: "+
		"declare a larger depth, or none", e.Rank, e.Target, e.Depth+1, e.Depth)
}

// made are the errors that the engine ends jobs with.
var made = engine.Errors{
	Panic: func(rank int, where string, value any, stack []byte) error {
		site, ordered := engine.Located(stack)
		return &PanicError{rank, value, ordered, where, site}
	},
	Registration: func(rank int, target, reason string) error { return &RegistrationError{rank, target, reason} },
	Depth:        func(rank int, target string, depth int) error { return &DepthError{rank, target, depth} },
	Limit: func(rank int, target string, needed, limit int64, cause engine.LimitCause) error {
		return &LimitError{rank, target, needed, limit, LimitCause(cause)}
	},
}
