package engine

import (
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

// loop is a rank's progress engine: it receives frames, sends buffers that are due, and rests when it has nothing to
// do. All waits of the main function turn it.
type loop struct {
	caller    *caller
	sender    *coalesce.Sender
	targets   *targets
	publisher *publisher
	marks     *marks
	exposed   *exposed
	detection *detection
	arrivals  arrivals
	pace      pace
	periodic  periodic
	spins     int    // idle looks before the rank parks
	lastBack  uint64 // frames back when this rank last considered parking
}

// spinsBeforePark is the number of times that an idle rank looks again, and lets others run, before it parks.
const spinsBeforePark = 256

// begin prepares the loop of a job whose ranks count from start.
func (l *loop) begin(c *Config, start uint64) {
	l.pace, l.periodic = newPace(c.Due, c.Period), periodic{period: c.Period}
	l.spins, l.arrivals.processed = spinsBeforePark, start
}

// framesAtOnce bounds the frames that one call of Progress receives, so that a send does not keep its caller for long.
const framesAtOnce = 64

// Progress receives frames that have arrived, and handles pebbles that handlers have sent to this rank. It reports
// whether it found any work. It never waits. It is for the main function's side: a handler never runs another handler.
func (l *loop) Progress() bool {
	worked, open := false, l.exposed.open()
	for range framesAtOnce {
		f := l.arrivals.next()
		if f == nil {
			break
		}
		l.arrivals.arrive(f)
		worked = true
	}
	if l.sender.Backlog > 0 {
		l.targets.pump()
	}
	if !l.arrivals.stalled.Empty() && l.arrivals.retryStalled() {
		worked = true
	}
	l.marks.follow()
	if l.exposed.open() < open {
		l.publisher.moved++
		worked = true // a caller that waits for operations must look again
	}
	if l.sender.Queued == 0 {
		return worked
	}
	l.targets.drain()
	return true
}

// Turn is Progress for a rank that waits inside an epoch. Steady arrivals may keep it from ever being idle, so it also
// sends buffers that are due.
func (l *loop) Turn() bool {
	worked := l.Progress()
	if worked {
		l.worked(1)
	}
	return worked
}

// worked counts n pieces of work. Now and then it reads the clock and sends buffers that are due; it reports whether it
// did.
func (l *loop) worked(n int) bool {
	if !l.pace.spend(n) {
		return false
	}
	l.flushDue()
	return true
}

func (l *loop) flushDue() {
	now := l.sender.Port.Now()
	l.pace.looked(now)
	l.publisher.looks(now, l.arrivals.processed)
	l.targets.flushDue(now)
	if l.periodic.due(now, l.sender.Count.PebblesSent+l.sender.Count.FramesReceived) {
		l.targets.Flush(coalesce.Periodic, coalesce.AllStages)
	}
}

// wait is one turn of a wait of the main function: it handles frames that have arrived, or rests. idle is the number of
// turns before it that found nothing; wait returns that number for the next turn.
func (l *loop) wait(idle int) int {
	l.caller.Check()
	if l.Turn() {
		return 0
	}
	l.sender.Count.Waits++
	l.Rest(idle)
	return idle + 1
}

// Rest passes the time between two looks that found nothing: the rank yields at first, then parks.
func (l *loop) Rest(idle int) { l.restAfter(idle, l.spins) }

// restAfter is Rest with the number of looks before the rank parks.
func (l *loop) restAfter(idle, spins int) {
	l.caller.Check()
	if idle < spins {
		if l.publisher.board.Asked() {
			l.publisher.looks(l.sender.Port.Now(), l.arrivals.processed)
		}
		l.sender.Port.Pause()
		return
	}
	l.sender.Pool.Collect()
	if back := l.sender.Pool.Back(); back != l.lastBack {
		l.lastBack = back // credit may have come with them after this rank's last look
		return
	}
	now := l.sender.Port.Now()
	l.publisher.board.Parks()
	l.publisher.looks(now, l.arrivals.processed)
	l.sender.Port.Wait(-1)
	if l.publisher.trace != nil {
		l.publisher.slice(trace.Wait, l.publisher.board.WaitsFor().String(), now, 1, trace.None)
	}
}

// Poll handles frames that have arrived for this rank, and sends buffers that are due. It never waits.
func (l *loop) Poll() {
	const call = "Poll was called"
	l.caller.owned(call)
	if in := l.caller.mode; in != body {
		l.caller.misplaced(in, call, "Poll may be called only by the main function in an epoch")
	}
	l.caller.beginCall(call)
	l.caller.Check()
	l.Progress()
	l.flushDue()
	l.caller.endCall(call, body)
}

// Await lets the main function, in an epoch's body, handle frames until done returns true. Pebbles that handlers send
// meanwhile leave when the rank has nothing else to do: other ranks may wait for them in the same way.
func (l *loop) Await(call string, done func() bool) {
	l.await(call, board.ForAnswer, done, func() bool {
		if l.Turn() {
			return true
		}
		sent, _ := l.targets.Flush(coalesce.Idle, l.detection.stage())
		return sent
	})
}

// AwaitBetween lets the main function, between epochs, wait for operations on exposed memory and for posted messages.
// It handles no pebbles: those of the next epoch wait.
func (l *loop) AwaitBetween(call string, done func() bool) {
	if p := l.caller.port; p != nil {
		_ = p.during(call, func() error { l.await(call, board.ForOneSided, done, l.Progress); return nil })
		return
	}
	l.await(call, board.ForOneSided, done, l.Progress)
}

// await turns the loop until done returns true, and rests after turns that found nothing.
func (l *loop) await(call string, wait board.Wait, done, turn func() bool) {
	from := l.caller.beginCall(call)
	l.publisher.board.Waits(wait, call)
	began, traced := l.publisher.Sampled()
	for idle := 0; !done(); idle++ {
		if turn() {
			idle = -1
			continue
		}
		l.Rest(idle)
	}
	l.publisher.board.Waited()
	if traced {
		l.publisher.TraceAwait(call, began)
	}
	l.caller.endCall(call, from)
}

// AwaitFailure leaves the program when another rank has failed, as one is about to at the end of this epoch. It returns
// if none has after the time most.
func (l *loop) AwaitFailure(most time.Duration) {
	port := l.sender.Port
	until := port.Now() + most
	for left := most; left > 0; left = until - port.Now() {
		l.caller.Check()
		if !l.Progress() {
			port.Wait(left)
		}
	}
}
