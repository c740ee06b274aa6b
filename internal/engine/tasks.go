package engine

import (
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

// Tasks are coroutines that a rank runs within epochs, besides handling frames. The engine calls them on the rank's
// goroutine, at the end of an epoch and never inside a wait, so that a task's stack holds no handler of another task's
// frames.
type Tasks interface {
	// Work runs some of the tasks that can go on. It reports whether it ran any, and whether some wait for an event
	// that comes without a pebble, such as room for a send: then the rank is not at rest.
	Work() (worked, left bool)
	// Await lets the running task wait until a lane of its target may have room.
	Await(t *Target, lane int)
	// Complete is called when every pebble of an epoch has been handled. Its error names the tasks that still wait,
	// since no event can come any more.
	Complete() error
	// End is called when the job has failed or the rank's function has returned. It unwinds waiting tasks, and ends
	// coroutines. It may be called again.
	End()
	// HoldBuffers returns the time that an idle rank may keep its buffers, so that pebbles of tasks that others wake
	// join them; 0 if no task waits.
	HoldBuffers() time.Duration
	// Waiter returns the running task.
	Waiter() Waiter
	// Waiting returns the waiting tasks, by call.
	Waiting() []state.Tasks
	// Describe describes the memory that tasks may take, for explanations.
	Describe() string
}

// Waiter is a task that waits for an event of a package other than task.
type Waiter interface {
	// Wait suspends the task until Wake is called. Errors name call as its wait. at is the memory that the task reads
	// next.
	Wait(call string, at unsafe.Pointer)
	// Wake resumes the task, once.
	Wake()
}

// tasksAndIdle is the work of a rank besides frames: tasks, and idle work of the main function.
type tasksAndIdle struct {
	caller     *caller
	sender     *coalesce.Sender
	loop       *loop
	publisher  *publisher
	tasks      Tasks         // nil if the program has none
	idle       func() bool   // idle work of the running epoch; nil for none
	active     bool          // this epoch has such work
	taskBegan  time.Duration // start of the running task, if traced
	taskTraced bool
	idleSince  time.Duration // with waiting tasks: the time when the rank first had nothing to do
}

// Set gives the rank its tasks.
func (k *tasksAndIdle) Set(t Tasks) {
	const call = "task.New was called"
	k.caller.ownedAnew(call)
	if in := k.caller.mode; in != outside {
		k.caller.misplaced(in, call, "%s inside an epoch: make the scheduler between epochs", call)
	}
	if k.tasks != nil {
		k.caller.Misuse(room, "%s twice: a rank has one scheduler, for all its tasks", call)
	}
	k.tasks, k.caller.endTasks = t, k.end
}

// begin prepares the tasks of an epoch: idle is its idle work, and tasks may run if run is true.
func (k *tasksAndIdle) begin(idle func() bool, run bool) {
	k.idle, k.active = idle, idle != nil || k.tasks != nil && run
}

// Current returns the tasks of the rank; nil if the program has none.
func (k *tasksAndIdle) Current() Tasks { return k.tasks }

// work runs tasks, and idle work if this turn did nothing else.
func (k *tasksAndIdle) work(worked bool) (any, left bool) {
	k.caller.Check()
	if k.tasks != nil {
		var did bool
		if did, left = k.tasks.Work(); did {
			k.loop.worked(1)
			k.publisher.moved++
			worked = true
		}
	}
	if k.idle != nil && !worked {
		k.caller.mode = body
		if worked = k.idle(); worked {
			k.publisher.moved++
		}
		k.caller.beginCall("idle work returned")
	}
	return worked, left
}

// holdsBuffers reports whether this rank, which has found nothing to do for idle looks, should keep its buffers for
// now. If so, it has let others run.
func (k *tasksAndIdle) holdsBuffers(idle int) bool {
	if k.tasks == nil {
		return false
	}
	most := k.tasks.HoldBuffers()
	if most <= 0 {
		return false
	}
	now := k.sender.Port.Now()
	if idle == 1 {
		k.idleSince = now
	}
	left := k.idleSince + most - now
	if left <= 0 {
		return false
	}
	k.caller.Check()
	if idle < k.loop.spins {
		k.sender.Port.Pause()
	} else {
		k.sender.Port.Wait(left)
	}
	return true
}

// complete ends the job if a task waits for an event that can't come any more.
func (k *tasksAndIdle) complete() {
	if k.tasks == nil {
		return
	}
	if err := k.tasks.Complete(); err != nil {
		k.caller.Fail(&rankError{k.caller.id, err})
	}
}

// end unwinds the waiting tasks. Their calls find that the job has failed.
func (k *tasksAndIdle) end() {
	if k.tasks == nil {
		return
	}
	k.caller.mode = task
	k.tasks.End()
	k.sender.HoldFrames = false
}

// Begin records that a task goes on, on the coroutine with this number, until End.
func (k *tasksAndIdle) Begin(number uint64) (before uint64) {
	k.caller.mode, k.sender.HoldFrames = task, true
	k.taskBegan, k.taskTraced = k.publisher.Sampled()
	return k.caller.owner.pass(number)
}

// Unwound records that a task has been unwound.
func (k *tasksAndIdle) Unwound() { k.caller.Job.unwound.Add(1) }

// End records that the rank goes on. before is the result of Begin.
func (k *tasksAndIdle) End(before uint64) {
	if k.caller.mode != task {
		k.caller.crossed("a task waits or ends")
	}
	k.caller.mode, k.sender.HoldFrames = busy, false
	if k.taskTraced {
		k.taskTraced = false
		k.publisher.slice(trace.Task, "task", k.taskBegan, trace.None, trace.None)
	}
	k.caller.owner.pass(before)
}

// Pump sends the frames that tasks have filled, within credit.
func (k *tasksAndIdle) Pump() { k.loop.targets.pump() }

// CheckSpawn ends the job unless a task may be spawned: in an epoch without a declared depth.
func (k *tasksAndIdle) CheckSpawn(call string) {
	k.caller.owned(call)
	switch in := k.caller.mode; {
	case in != body && in != task && in != handler:
		k.caller.misplaced(in, call, "%s outside of an epoch: tasks are spawned and run only in epochs", call)
	case k.caller.limit > 0:
		k.caller.Misuse(room, "%s in an epoch of a declared depth: tasks send chains of any length: leave pebble.Depth "+
			"out", call)
	}
}

// SuspendTask suspends a task until a lane may have room.
func (t *Target) SuspendTask(lane int) { t.Rank.Tasks.tasks.Await(t, lane) }

// AwaitRoomFor suspends a task until the links of some pebbles of the target, a slice of at most 256, have room.
func (t *Target) AwaitRoomFor(pebbles any) { t.endpoint.AwaitRoom(pebbles) }

// HasRoom reports whether a task may send over a lane: no frame of it waits for credit, and another one may be in
// flight.
func (t *Target) HasRoom(lane int) bool {
	return !t.outbox.Waits(lane) && t.FitsHalf(t.outbox.FirstBytes())
}

// HasRooms is HasRoom for all lanes.
func (t *Target) HasRooms() bool { return !t.outbox.AnyWaits() && t.FitsHalf(t.outbox.FirstBytes()) }
