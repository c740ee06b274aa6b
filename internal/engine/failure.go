package engine

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// rankError is the error of a rank's function.
type rankError struct {
	rank int
	err  error
}

func (e *rankError) Error() string { return fmt.Sprintf("rank %d: %v", e.rank, e.err) }
func (e *rankError) Unwrap() error { return e.err }

// StuckError gives the positions of ranks that were left behind after a failure.
type StuckError struct{ text string }

func (e *StuckError) Error() string { return e.text }

// unwind is the value of the panic that leaves the user's code after the job has failed. [Rank.Epoch], the collectives
// and the end of the rank's function catch it and return the job's error instead.
type unwind struct{}

func (unwind) Error() string { return "pebble: the job has failed; this unwinds the rank" }

// Check leaves the program if the job has failed.
func (c *caller) Check() {
	if c.Job.failed.Load() {
		unwindProgram()
	}
}

// Fail ends the job and leaves the program.
func (c *caller) Fail(cause error) {
	c.fail(cause)
	unwindProgram()
}

// fail ends the job. The ranks in the cause are numbered as in the caller's team.
func (c *caller) fail(cause error) {
	if c.port != nil {
		cause = &TeamError{c.team.name, c.InJob(c.id), cause}
	}
	c.Job.fail(cause)
}

// Leave leaves the program, whose job has failed.
func (c *caller) Leave() { unwindProgram() }

// FailIn ends the job with the error of a collective, and returns the job's error.
func (c *caller) FailIn(call string, cause error) error {
	c.fail(fmt.Errorf("rank %d: %s: %w", c.id, call, cause))
	return c.Job.error()
}

// room is the package of most calls that the engine checks.
const room = "pebble"

// Misuse ends the job, and panics with the same text: a call was made that docs/contract.md does not allow there. A
// program that recovers goes on in a failed job. room is the package of the call.
func (c *caller) Misuse(room, format string, args ...any) {
	if c.mode != over && c.Job.failed.Load() {
		unwindProgram() // deferred calls after the job has failed are no mistake
	}
	words := fmt.Sprintf("%s: %s: %s", room, c.self(), fmt.Sprintf(format, args...))
	if c.Job.runs() {
		c.Job.fail(c.panicked(words, debug.Stack()))
	}
	panic(words)
}

// place describes the position of the rank in the program. Another goroutine calls it if the rank has not returned to
// the runtime for seconds: the rank does not write the values read here, but no synchronization says so.
//
//go:norace
func (c *caller) place() string {
	switch in := c.mode &^ 1; {
	case in == handler && c.handling != nil:
		return fmt.Sprintf("a handler of target %q", c.handling.Name)
	case in == task:
		return "a task"
	case in == body:
		return "the body of an epoch"
	}
	return "its function"
}

// guard runs f, and turns the unwinding of a failed job into the job's error. A panic of the program keeps its stack.
func (c *caller) guard(f func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if _, ok := value.(unwind); !ok {
			if c.stack == nil {
				c.stack = debug.Stack()
			}
			if c.endTasks != nil || c.port != nil { // their stack and handler are lost elsewhere
				c.Job.fail(c.panicked(value, c.stack)) // first: deferred functions of tasks may call the runtime
			}
			if c.endTasks != nil {
				c.endTasks()
			}
			panic(value)
		}
		if c.endTasks != nil {
			c.endTasks()
		}
		c.mode = outside
		err = c.Job.error()
	}()
	return f()
}

// panicked makes the error of a panic of the program. The stack is nil while the panic is on its way.
func (c *caller) panicked(value any, stack []byte) error {
	if stack == nil {
		stack = debug.Stack()
	}
	where := ""
	if c.mode&^1 == handler && c.handling != nil {
		where = c.place() + c.handling.endpoint.Pebble()
	}
	if c.port != nil {
		where = fmt.Sprintf("%s of %v", cmp.Or(where, c.place()), c.team)
	}
	return newPanicError(c.InJob(c.id), where, c.hooks.fault(value), stack)
}

// Coroutine runs f, a part of the rank's program, on a goroutine that takes turns with the rank's own. A panic goes on
// with the stack of this goroutine; the unwinding of a failed job ends here.
func (c *caller) Coroutine(f func()) {
	defer func() {
		value := recover()
		switch value.(type) {
		case nil, unwind:
			return
		}
		if c.stack == nil {
			c.stack = debug.Stack()
		}
		panic(value)
	}()
	f()
}
