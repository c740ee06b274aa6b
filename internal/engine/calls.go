package engine

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// caller is the goroutine that calls a rank's methods: that of the rank's function, in the program or in the runtime.
type caller struct {
	id       int
	Job      *job
	team     *team
	port     *port // of a team's; nil where the whole job is the team
	mode     mode
	depth    int     // of the pebbles that are being handled; 0 in the main function, and when there is no limit
	limit    int     // declared depth of the epoch; 0 for none
	owner    *owner  // the same for all teams of a rank
	handling *Target // the target whose handler runs, or ran last
	hooks    *hooks
	endTasks func() // unwinds tasks; nil where there are none
	stack    []byte // of a panic on its way through Epoch
	gone     string // why all calls are in vain, such as an object that was freed; "" where they are not
}

// mode is where a rank's goroutine is: in the program or, in a call of the program's, in the runtime.
//
// It also finds a rank that a second goroutine uses. A call of the program's begins from one of the program's modes, by
// compare-and-swap, so no two are in progress at once. That costs some nanoseconds for a full stage of single sends, a
// SendAll, a collective. Single sends that are put aside look at the mode, as they must anyway, and so do sends of
// handlers: a compare-and-swap for each of these cost a fifteenth of PointerChase. So calls that overlap are told, and
// calls that come one after the other from two goroutines are not. Builds under -race or with the tag pebbles_check
// compare goroutines at each call besides: see owner. Everything else reads and writes the mode plainly, as is right
// for one goroutine.
type mode uint32

const (
	outside mode = iota // the main function, between epochs
	meeting             // a call of it there
	body                // the main function, in an epoch's body
	busy                // a call of it there, and the end of the epoch
	task                // a task, which runs while an epoch ends, and does not wait inside calls
	tasked              // a call of it
	handler             // a handler
	nested              // a call of it, and the handling of a frame around handlers
	_
	over      // the rank's function has returned
	_         // of the program's
	elsewhere // a call of another team of this rank runs
)

// ofProgram reports whether the program runs, and no call of it: each of its modes is even, and a call's is the next
// one.
func (m mode) ofProgram() bool { return m&1 == 0 }

// InEpoch reports whether an epoch is running on this rank.
func (c *caller) InEpoch() bool { return c.mode >= body && c.mode <= nested }

// beginCall begins a call of the program's and returns where it comes from, for endCall. It ends the job when another
// call is in progress, or when the rank's function has returned.
func (c *caller) beginCall(call string) (from mode) {
	c.owned(call)
	from = c.mode
	if !from.ofProgram() {
		c.crossed(call)
	}
	c.beginCallFrom(call, from)
	return from
}

// beginCallFrom begins a call that comes from a mode of the program's.
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

// misplaced ends the job: a call comes in a mode that is wrong for it, for which these are the words if it meets no
// other call.
func (c *caller) misplaced(in mode, call, format string, args ...any) {
	if !in.ofProgram() {
		c.crossed(call)
	}
	if !onRank() {
		c.intruded(fmt.Sprintf("pebble: %s: %s", c.self(), fmt.Sprintf(format, args...)))
	}
	c.Misuse(room, format, args...)
}

// crossed ends the job, and the goroutine's part in it: a call has met another one of its rank, or comes after all of
// them.
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

// late panics: the rank's function has returned, or what is called was freed.
func (c *caller) late(call string) {
	if c.Job.intruded.Load() {
		runtime.Goexit() // which the job's error is about
	}
	if c.gone != "" {
		c.Misuse(room, "%s %s", call, c.gone)
	}
	c.Misuse(room, "%s after the rank's function has returned: a rank and its targets are good for one call of that "+
		"function", call)
}

// intruded ends the job because a rank was used by another goroutine than its own, and leaves the program.
func (c *caller) intruded(words string) {
	c.Job.intruded.Store(true)
	c.Job.fail(newPanicError(c.InJob(c.id), "", words, debug.Stack()))
	if !onRank() {
		runtime.Goexit()
	}
	panic(words) // of this rank, whose error it follows; or of one of another job, which fails by it
}

// unwindProgram leaves the user's code after the job has failed. On a goroutine of the user's nobody would catch the
// panic that unwinds a rank.
func unwindProgram() {
	if !onRank() {
		runtime.Goexit()
	}
	panic(unwind{})
}

// onRank reports whether this is the goroutine of a rank, of whatever job, or one of its coroutines. Cost:
// microseconds.
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
