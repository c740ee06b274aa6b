package engine

import "fmt"

// PanicError is the error of a job that ended because a rank's function or a handler panicked.
type PanicError struct {
	Rank  int
	Value any    // the argument of panic
	Stack []byte // of the goroutine that panicked: the program's innermost call first, then the calls below it
	Where string // the handler that panicked, with its target and pebble, in a line; "" elsewhere
	Site  string // the program's innermost call, as "main.go:31"; "" if unknown
}

func newPanicError(rank int, where string, value any, stack []byte) *PanicError {
	site, ordered := Located(stack)
	return &PanicError{rank, value, ordered, where, site}
}

func (e *PanicError) Error() string {
	where := ""
	if e.Where != "" {
		where = " in " + e.Where
	}
	return fmt.Sprintf("%srank %d panicked%s: %v", At(e.Site), e.Rank, where, e.Value)
}

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// LimitError is the error of a job whose rank needed more memory for frames, queues and caches than Config.MemoryLimit
// allows.
type LimitError struct {
	Rank   int
	Target string // the target whose pebbles found no room
	Needed int64  // bytes that the rank would have held
	Limit  int64
	Cause  LimitCause
}

// LimitCause is the use of memory that exceeded the limit.
type LimitCause uint8

const (
	FromHandlers LimitCause = iota // pebbles that handlers sent or that passed through, which can't wait
	FromMain                       // buffers that the main function fills; its other sends wait for room
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

// RegistrationError is the error of a job whose ranks registered an invalid target, or different targets.
type RegistrationError struct {
	Rank   int
	Target string // "" if the difference is among many targets
	Reason string
}

func (e *RegistrationError) Error() string {
	if e.Target == "" {
		return fmt.Sprintf("rank %d: register targets: %s", e.Rank, e.Reason)
	}
	return fmt.Sprintf("rank %d: register target %q: %s", e.Rank, e.Target, e.Reason)
}

// DepthError is the error of a job whose handler sent a pebble in a chain longer than the declared depth of the epoch.
type DepthError struct {
	Rank   int
	Target string // target of the handler that sent
	Depth  int    // as declared
}

func (e *DepthError) Error() string {
	return fmt.Sprintf("rank %d: the handler of target %q sends a pebble that is number %d of its chain, and the "+
		"epoch declares depth %d: declare a larger depth, or none", e.Rank, e.Target, e.Depth+1, e.Depth)
}
