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
	// Work runs some of the tasks that can go on. It reports whether there were any, and whether some wait for an event
	// that comes without a pebble, such as room for a send: the rank is not at rest then.
	Work() (worked, left bool)
	// Await lets the running task wait until a lane of its target may have room.
	Await(t *Target, lane int)
	// Complete is called when every pebble of an epoch has been handled. Its error tells which tasks still wait, since
	// nothing can come any more.
	Complete() error
	// End is called when the job has failed or the rank's function has returned. It unwinds tasks that wait, and ends
	// coroutines. It may be called again.
	End()
	// HoldBuffers is the time for which an idle rank may keep its buffers, so that pebbles of tasks that others wake join
	// them; 0 when no task waits.
	HoldBuffers() time.Duration
	// Waiter is the task that runs.
	Waiter() Waiter
	// Waiting are the tasks that wait, by call.
	Waiting() []state.Tasks
	// Describe tells explanations, in words, the memory that tasks may take.
	Describe() string
}

// Waiter is a task that waits for an event of a package besides package task.
type Waiter interface {
	// Wait lets the task wait until Wake is called. Errors say that it waits in call. at is the memory that the task
	// reads next.
	Wait(call string, at unsafe.Pointer)
	// Wake lets the task go on, once.
	Wake()
}

// tasksAndIdle is the work of a rank besides frames: tasks, and idle work of the main function.
type tasksAndIdle struct {
	caller     *caller
	sender     *coalesce.Sender
	loop       *loop
	publisher  *publisher
	tasks      Tasks         // nil when the program has none
	idle       func() bool   // idle work of the running epoch; nil for none
	active     bool          // there is such work in this epoch
	taskBegan  time.Duration // the task that runs, where it is traced
	taskTraced bool
	idleSince  time.Duration // with tasks that wait: when the rank had nothing to do for the first time
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

// Current are the tasks of the rank; nil when the program has none.
func (k *tasksAndIdle) Current() Tasks { return k.tasks }

// work lets tasks run, and idle work if nothing else was done in this turn.
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

// holdsBuffers reports whether this rank, which has found nothing to do for idle looks, should leave its buffers alone
// for now. It has let others run then.
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

// end unwinds the tasks that wait. Their calls find that the job has failed.
func (k *tasksAndIdle) end() {
	if k.tasks == nil {
		return
	}
	k.caller.mode = task
	k.tasks.End()
	k.sender.HoldFrames = false
}

// Begin says that a task goes on, on the coroutine of this number, until End.
func (k *tasksAndIdle) Begin(number uint64) (before uint64) {
	k.caller.mode, k.sender.HoldFrames = task, true
	k.taskBegan, k.taskTraced = k.publisher.Sampled()
	return k.caller.owner.pass(number)
}

// End says that the rank goes on, whose number Begin has returned.
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

// Pump sends the frames that tasks have filled, as far as there is credit.
func (k *tasksAndIdle) Pump() { k.loop.targets.pump() }

// CheckSpawn ends the job unless a task may be spawned: in an epoch that declares no depth.
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

// SuspendTask lets a task wait until a lane may have room.
func (t *Target) SuspendTask(lane int) { t.Rank.Tasks.tasks.Await(t, lane) }

// AwaitRoomFor lets a task wait until the links of some pebbles of the target, a slice of at most 256, have room.
func (t *Target) AwaitRoomFor(pebbles any) { t.endpoint.AwaitRoom(pebbles) }

// HasRoom reports whether a task may send over a lane: no frame of it waits for credit, and another one may be in
// flight.
func (t *Target) HasRoom(lane int) bool {
	return !t.outbox.Waits(lane) && t.FitsHalf(t.outbox.FirstBytes())
}

// HasRooms is HasRoom for all lanes.
func (t *Target) HasRooms() bool { return !t.outbox.AnyWaits() && t.FitsHalf(t.outbox.FirstBytes()) }
