package engine

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// caller is the goroutine that calls a rank's methods, the goroutine of the rank's function. It is in the program or in
// the runtime.
type caller struct {
	id       int
	Job      *job
	team     *team
	port     *port // of a team; nil if the team is the whole job
	mode     mode
	depth    int     // of the pebbles that are being handled; 0 in the main function, and without a limit
	limit    int     // declared depth of the epoch; 0 for none
	owner    *owner  // the same for all teams of a rank
	handling *Target // the target whose handler runs, or ran last
	hooks    *hooks
	endTasks func() // unwinds tasks; nil without any
	stack    []byte // of a panic on its way through Epoch
	gone     string // the reason why calls fail, such as a freed object; "" if they don't
}

// mode is the position of a rank's goroutine: in the program or, during a call by the program, in the runtime.
//
// It also detects the use of a rank by a second goroutine. A call by the program begins in one of the program's modes,
// by compare-and-swap, so calls never overlap. That costs some nanoseconds for a full stage of single sends, a SendAll,
// a collective. Single sends that only gather read the mode, as they must anyway, and so do sends of handlers: a
// compare-and-swap for each of these cost a fifteenth of PointerChase. So overlapping calls are reported, but
// consecutive calls from two goroutines are not. Builds under -race or with the tag pebbles_check also compare
// goroutines at each call: see owner. All other accesses to the mode are plain, as is right for one goroutine.
type mode uint32

const (
	outside mode = iota // the main function, between epochs
	meeting             // a call by it there
	body                // the main function, in an epoch's body
	busy                // a call by it there, and the end of the epoch
	task                // a task, which runs while an epoch ends, and does not wait inside calls
	tasked              // a call by it
	handler             // a handler
	nested              // a call by it, and the handling of a frame around handlers
	_
	over      // the rank's function has returned
	_         // a mode of the program
	elsewhere // a call of another team of this rank runs
)

// ofProgram reports whether the program runs outside of calls: the program's modes are even, and a call's mode is the
// next one.
func (m mode) ofProgram() bool { return m&1 == 0 }

// InEpoch reports whether an epoch is running on this rank.
func (c *caller) InEpoch() bool { return c.mode >= body && c.mode <= nested }

// beginCall begins a call by the program and returns the mode before it, for endCall. It ends the job if another call
// is in progress, or if the rank's function has returned.
func (c *caller) beginCall(call string) (from mode) {
	c.owned(call)
	from = c.mode
	if !from.ofProgram() {
		c.crossed(call)
	}
	c.beginCallFrom(call, from)
	return from
}

// beginCallFrom begins a call from a mode of the program.
func (c *caller) beginCallFrom(call string, from mode) {
	if !atomic.CompareAndSwapUint32((*uint32)(&c.mode), uint32(from), uint32(from+1)) {
		c.crossed(call)
	}
}

// endCall ends a call.
func (c *caller) endCall(call string, from mode) {
	if c.mode != from+1 {
		c.crossed(call)
	}
	c.mode = from
}

// misplaced ends the job because of a call in a wrong mode. The error has the given text, unless the call overlaps
// another one.
func (c *caller) misplaced(in mode, call, format string, args ...any) {
	if !in.ofProgram() {
		c.crossed(call)
	}
	if !onRank() {
		c.intruded(fmt.Sprintf("pebble: %s: %s", c.self(), fmt.Sprintf(format, args...)))
	}
	c.Misuse(room, format, args...)
}

// crossed ends the job, and the goroutine's part in it, because a call overlaps another call of its rank, or comes
// after the end of the rank's function.
func (c *caller) crossed(call string) {
	switch c.mode {
	case over:
		c.late(call)
	case elsewhere:
		c.inOther(call)
	}
	c.intruded(fmt.Sprintf("pebble: %s: %s while another call of the same rank is in progress: a rank and its "+
		"targets are for the "+
		"goroutine of the rank's function alone, and not for the functions that give keys, merge or distribute. "+
		"Build with -race or with -tags pebbles_check to find every call from another goroutine", c.self(), call))
}

// late panics: the rank's function has returned, or the call's object was freed.
func (c *caller) late(call string) {
	if c.Job.intruded.Load() {
		runtime.Goexit() // the job's error says why
	}
	if c.gone != "" {
		c.Misuse(room, "%s %s", call, c.gone)
	}
	c.Misuse(room, "%s after the rank's function has returned: a rank and its targets are good for one call of that "+
		"function", call)
}

// intruded ends the job because a goroutine other than the rank's used the rank, and leaves the program.
func (c *caller) intruded(words string) {
	c.Job.intruded.Store(true)
	c.Job.fail(newPanicError(c.InJob(c.id), "", words, debug.Stack()))
	if !onRank() {
		runtime.Goexit()
	}
	panic(words) // of this rank, whose error it follows; or of a rank of another job, which fails by it
}

// unwindProgram leaves the user's code after the job has failed. On a goroutine of the user, nothing would recover the
// panic that unwinds a rank.
func unwindProgram() {
	if !onRank() {
		runtime.Goexit()
	}
	panic(unwind{})
}

// onRank reports whether this is the goroutine of a rank, of any job, or one of its coroutines. It costs microseconds.
func onRank() bool {
	pcs := make([]uintptr, 64)
	for n := runtime.Callers(0, pcs); n == len(pcs); n = runtime.Callers(0, pcs) {
		pcs = make([]uintptr, 2*n)
	}
	rank, coroutine := nameOfFunction((*job).runRank), nameOfFunction((*caller).Coroutine)
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function == rank || f.Function == coroutine {
			return true
		}
		if !more {
			return false
		}
	}
}

func nameOfFunction(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }
