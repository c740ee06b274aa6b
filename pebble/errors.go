package pebble

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/engine"
)

// PanicError is the error of a job that ended because a rank's function or a handler panicked. Its fields are Rank;
// Value, the argument of panic; Stack, of the goroutine that panicked; Where, the handler with its target and pebble,
// or ""; and Site, the program's innermost call as "main.go:31". Unwrap returns Value if it is an error.
type PanicError = engine.PanicError

// LimitError is the error of a job whose rank needed more memory for frames, queues and caches than Config.MemoryLimit
// allows. Its fields are Rank; Target, whose pebbles found no room; Needed and Limit, in bytes; and Cause.
type LimitError = engine.LimitError

// LimitCause is the use of memory that exceeded the limit.
type LimitCause = engine.LimitCause

// The causes of a [LimitError].
const (
	FromHandlers = engine.FromHandlers // pebbles that handlers sent or that passed through, which can't wait
	FromMain     = engine.FromMain     // buffers that the main function fills; its other sends wait for room
	FromCaches   = engine.FromCaches   // reduction caches
)

// RegistrationError is the error of a job whose ranks registered an invalid target, or different targets. Its fields
// are Rank, Target and Reason.
type RegistrationError = engine.RegistrationError

// DepthError is the error of a job whose handler sent a pebble in a chain longer than the declared depth of the epoch.
// Its fields are Rank; Target, whose handler sent; and Depth, as declared.
type DepthError = engine.DepthError

// TeamError is an error of a team's rank. Its text numbers ranks as the team does. Its fields are Team, the name; Rank,
// which reports it, as the job numbers it; and Err. A [PanicError] numbers ranks as the job does.
type TeamError = engine.TeamError

// KeyError is the error of a job that sent a pebble to a key outside its target's distribution.
type KeyError struct {
	// Site is the program's call that found the error, as "main.go:31": the send, or a later call if single sends were
	// gathered, at the latest the epoch. It is "" if unknown.
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
