package engine

import (
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

// Tasks are what a rank does within epochs besides frames, on coroutines. The engine calls them on the rank's
// goroutine, at the end of an epoch and never inside a wait, so that a task's stack holds no handler of another's
// frames.
type Tasks interface {
	// Work runs some of the tasks that can go on. It reports whether there were any, and whether some wait for what
	// comes without a pebble, such as room for a send: the rank is not at rest then.
	Work() (worked, left bool)
	// Await lets the running task wait until a lane of its target may have room.
	Await(t *Target, lane int)
	// Complete comes when every pebble of an epoch has been handled. It says what still waits, since nothing can come
	// any more.
	Complete() error
	// End comes when the job has failed or the rank's function has returned: what waits unwinds, and coroutines end. It
	// may come again.
	End()
	// Linger is for how long the buffers of a rank that has nothing to do may wait for pebbles of tasks that others
	// wake; 0 when none wait.
	Linger() time.Duration
	// Waiter is the task that runs.
	Waiter() Waiter
	// Waiting are the tasks that wait, by call.
	Waiting() []state.Tasks
	// Describe says in words what tasks may take, for explanations.
	Describe() string
}

// Waiter is a task that waits for something of a package beside package task.
type Waiter interface {
	// Wait lets the task wait until Wake is called. call is what an error says that it waits in; at is what it will look
	// at then.
	Wait(call string, at unsafe.Pointer)
	// Wake lets the task go on, once.
	Wake()
}

// aside is a rank's work besides frames: tasks, and idle work.
type aside struct {
	rank       *Rank
	tasks      Tasks         // nil when the program has none
	idle       func() bool   // idle work of the running epoch; nil for none
	active     bool          // there is such work in this epoch
	taskBegan  time.Duration // the task that runs, where it is traced
	taskTraced bool
	idleSince  time.Duration // with tasks that wait: when the rank had nothing to do for the first time
}

// SetTasks gives the rank its tasks.
func (x *aside) SetTasks(t Tasks) {
	const call = "task.New was called"
	x.rank.ownedAnew(call)
	if in := x.rank.mode; in != outside {
		x.rank.misplaced(in, call, "%s inside an epoch: make the scheduler between epochs", call)
	}
	if x.tasks != nil {
		x.rank.Misuse(room, "%s twice: a rank has one scheduler, for all its tasks", call)
	}
	x.tasks = t
}

// Tasks are those of the rank; nil when the program has none.
func (a *aside) Tasks() Tasks { return a.tasks }

// workAside lets tasks run, and idle work when nothing else was done in this turn.
func (a *aside) workAside(worked bool) (any, left bool) {
	a.rank.Check()
	if a.tasks != nil {
		var did bool
		if did, left = a.tasks.Work(); did {
			a.rank.worked(1)
			a.rank.publisher.moved++
			worked = true
		}
	}
	if a.idle != nil && !worked {
		a.rank.mode = body
		if worked = a.idle(); worked {
			a.rank.publisher.moved++
		}
		a.rank.beginCall("idle work returned")
	}
	return worked, left
}

// lingers reports whether this rank, which has found nothing to do for so many looks, should leave its buffers alone
// for now. It has let others run then.
func (a *aside) lingers(idle int) bool {
	if a.tasks == nil {
		return false
	}
	most := a.tasks.Linger()
	if most <= 0 {
		return false
	}
	now := a.rank.Port.Now()
	if idle == 1 {
		a.idleSince = now
	}
	left := a.idleSince + most - now
	if left <= 0 {
		return false
	}
	a.rank.Check()
	if idle < a.rank.spins {
		a.rank.Port.Pause()
	} else {
		a.rank.Port.Wait(left)
	}
	return true
}

// complete ends the job if something waits for what can't come.
func (a *aside) complete() {
	if a.tasks == nil {
		return
	}
	if err := a.tasks.Complete(); err != nil {
		a.rank.Fail(&rankError{a.rank.id, err})
	}
}

// endTasks unwinds what waits. What it may still call finds that the job has failed.
func (a *aside) endTasks() {
	if a.tasks == nil {
		return
	}
	a.rank.mode = task
	a.tasks.End()
	a.rank.HoldFrames = false
}

// BeginTask says that a task goes on, on the coroutine of this number, until EndTask.
func (a *aside) BeginTask(number uint64) (before uint64) {
	a.rank.mode, a.rank.HoldFrames = task, true
	a.taskBegan, a.taskTraced = a.rank.Sampled()
	return a.rank.owner.pass(number)
}

// EndTask says that the rank goes on, whose number BeginTask has returned.
func (x *aside) EndTask(before uint64) {
	if x.rank.mode != task {
		x.rank.crossed("a task waits or ends")
	}
	x.rank.mode, x.rank.HoldFrames = busy, false
	if x.taskTraced {
		x.taskTraced = false
		x.rank.slice(trace.Task, "task", x.taskBegan, trace.None, trace.None)
	}
	x.rank.owner.pass(before)
}

// PumpTasks hands over the frames that tasks have filled, as far as there is credit.
func (a *aside) PumpTasks() { a.rank.pump() }

// InTask reports whether a task is running, and no call of it and no handler. It ends the job when another goroutine
// calls.
func (c *caller) InTask(call string) bool {
	c.owned(call)
	return c.mode == task
}

// InBody reports whether the main function is running in an epoch's body.
func (c *caller) InBody() bool { return c.mode == body }

// MayWait reports whether a call may wait: a task runs, or the main function in an epoch's body. It ends the job when
// another goroutine calls.
func (c *caller) MayWait(call string) bool {
	c.owned(call)
	return c.mode == task || c.mode == body
}

// CheckSpawn ends the job unless a task may be spawned: in an epoch that declares no depth.
func (x *aside) CheckSpawn(call string) {
	x.rank.owned(call)
	switch in := x.rank.mode; {
	case in != body && in != task && in != handler:
		x.rank.misplaced(in, call, "%s outside of an epoch: tasks are spawned and run in epochs alone", call)
	case x.rank.limit > 0:
		x.rank.Misuse(room, "%s in an epoch of a declared depth: tasks send chains of any length: leave pebble.Depth "+
			"out", call)
	}
}

// Await lets the main function, in an epoch's body, handle what arrives until done says so. What handlers send
// meanwhile leaves when there is nothing else to do: others may wait for it in the same way.
func (r *Rank) Await(call string, done func() bool) {
	from := r.beginCall(call)
	r.board.Waits(board.ForAnswer, call)
	began, traced := r.Sampled()
	for idle := 0; !done(); idle++ {
		if r.Turn() {
			idle = -1
			continue
		}
		if sent, _ := r.Flush(coalesce.Idle, r.stage()); sent {
			idle = -1
			continue
		}
		r.Rest(idle)
	}
	r.board.Waited()
	if traced {
		r.TraceAwait(call, began)
	}
	r.endCall(call, from)
}

// AwaitOthers is Await for what the programs of other ranks do, if they do: meanwhile this rank counts as being at
// rest. When all ranks are, it is the end of the epoch, and the job's: an error of the accesses of some rank says why.
// It is for epochs that declare no depth.
func (r *Rank) AwaitOthers(call string, done func() bool) {
	from, active := r.beginCall(call), r.active
	began, traced := r.Sampled()
	r.active = false // no task runs in a call of the main function
	if r.quiesce(board.ForAnswer, call, done) {
		r.checkAccesses()
	}
	r.active = active
	if traced {
		r.TraceAwait(call, began)
	}
	r.endCall(call, from)
}

// AwaitFailure leaves the program when another rank has failed, as one is about to at the end of this epoch. It returns
// when none has for so long.
func (r *Rank) AwaitFailure(most time.Duration) {
	until := r.Port.Now() + most
	for left := most; left > 0; left = until - r.Port.Now() {
		r.Check()
		if !r.Progress() {
			r.Port.Wait(left)
		}
	}
}

// DeclaresDepth reports whether the epoch does.
func (d *detection) DeclaresDepth() bool { return d.detectorFor.depth > 0 }

// Coroutine runs f, which is a part of the rank's program, on a goroutine that takes turns with the rank's own. A panic
// goes on with the stack of this goroutine; the unwinding of a failed job ends here.
func (r *Rank) Coroutine(f func()) {
	defer func() {
		value := recover()
		switch value.(type) {
		case nil, unwind:
			return
		}
		if r.stack == nil {
			r.stack = debug.Stack()
		}
		panic(value)
	}()
	f()
}

// Unwind leaves the program on one of the rank's coroutines.
func (r *Rank) Unwind() { panic(unwind{}) }

// SuspendTask lets a task wait until a lane may have room.
func (t *Target) SuspendTask(lane int) { t.tasks.Await(t, lane) }

// AwaitRoomFor lets a task wait until the links of some pebbles of the target, a slice of at most 256, have room.
func (t *Target) AwaitRoomFor(pebbles any) { t.endpoint.AwaitRoom(pebbles) }

// HasRoom reports whether a task may send over a lane: no frame of it waits for credit, and another one may be in
// flight.
func (t *Target) HasRoom(lane int) bool {
	return !t.outbox.Waits(lane) && t.FitsHalf(t.outbox.FirstBytes())
}

// HasRooms is HasRoom for all lanes.
func (t *Target) HasRooms() bool { return !t.outbox.AnyWaits() && t.FitsHalf(t.outbox.FirstBytes()) }
