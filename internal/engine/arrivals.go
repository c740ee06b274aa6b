package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/netio"
)

// arrivals delivers the frames of a rank, and keeps those that have to wait.
type arrivals struct {
	caller    *caller
	sender    *coalesce.Sender
	targets   *targets
	publisher *publisher

	collective func(*netio.Frame)                 // takes the messages of collectives
	messages   [purposes]func(*netio.Frame) error // take messages for other purposes, at any time

	futureEpoch netio.Frames // data frames of epochs that have not begun here
	deferred    netio.Frames // data frames that waited for the epoch that now runs
	catchUp     bool         // deferred may hold some
	stalled     netio.Frames // held frames: data frames of this epoch that wait until links have credit
	processed   uint64       // data frames and posted messages handled
	phases      uint32       // maximum number of a link's phases in an epoch, with a ledger
}

// next returns the next frame that has arrived; nil for none. Frames that waited for this epoch come first.
func (a *arrivals) next() *netio.Frame {
	if a.catchUp {
		if f := a.deferred.Shift(); f != nil {
			return f
		}
		a.catchUp = false
	}
	return a.sender.Port.Recv()
}

// beginEpoch releases the frames that waited for the epoch that begins.
func (a *arrivals) beginEpoch() {
	for f := a.futureEpoch.Shift(); f != nil; f = a.futureEpoch.Shift() {
		a.deferred.Push(f)
		a.catchUp = true
	}
}

// arrive delivers or keeps a frame.
func (a *arrivals) arrive(f *netio.Frame) {
	switch f.Kind {
	case netio.Control:
		a.message(f)
	case netio.Data:
		if !a.caller.InEpoch() || f.Epoch != a.sender.Epoch {
			a.postpone(f)
			return
		}
		a.deliver(f)
	default:
		a.refuse(f, "it is of no known kind")
	}
}

// message takes a message of a collective, or one that is taken at any time.
func (a *arrivals) message(f *netio.Frame) {
	if !a.takesAnywhere(f) {
		a.collective(f)
		return
	}
	p := purpose(f.Check)
	if err := a.messages[p](f); err != nil {
		a.refuse(f, err.Error())
	}
	if p == posting { // detectors count it
		a.processed++
	}
	f.Release()
}

// takesAnywhere reports whether a message is taken at any time.
func (a *arrivals) takesAnywhere(f *netio.Frame) bool {
	p := purpose(f.Check)
	return p < purposes && a.messages[p] != nil
}

// postpone keeps a data frame of an epoch that has not begun here. Its sender has passed a point that this rank has not
// reached, and the sender's budget bounds the frames that it can send until then.
func (a *arrivals) postpone(f *netio.Frame) {
	if int32(f.Epoch-a.sender.Epoch) <= 0 {
		a.refuse(f, fmt.Sprintf("it belongs to epoch %d, which has ended here", f.Epoch))
	}
	a.futureEpoch.Push(f)
}

func (a *arrivals) deliver(f *netio.Frame) {
	target := a.targets.numberedAt(f.Target)
	if target == nil {
		a.refuse(f, fmt.Sprintf("it is for target %d, which is not registered", f.Target))
	}
	if f.Check != target.Fingerprint {
		a.refuse(f, fmt.Sprintf("its pebbles are of another type than those of target %q", target.Name))
	}
	a.sender.Count.FramesReceived++
	if !a.handle(f) {
		a.sender.Count.Held++
		a.stalled.Push(f) // its sender's credit bounds the frames that stall
	}
}

// handle handles a frame if its target takes it now. Otherwise its pebbles may have to go on over links that wait for
// credit, and the frame's sender is held back.
func (a *arrivals) handle(f *netio.Frame) (taken bool) {
	a.caller.mode, a.caller.depth = nested, int(f.Flags)
	began, traced := a.publisher.Sampled()
	target := a.targets.numbered[f.Target]
	target.labels.Put()
	taken, err := target.endpoint.Deliver(f)
	target.labels.Drop()
	a.caller.mode, a.caller.depth = busy, 0
	if traced && taken {
		a.publisher.slice(trace.Handler, target.Name, began, uint64(f.Count), uint64(a.caller.InJob(int(f.From))))
	}
	if err != nil {
		a.refuse(f, err.Error())
	}
	if !taken {
		return false
	}
	if a.sender.Ledger != nil {
		if f.Tag > a.phases {
			a.refuse(f, fmt.Sprintf("it is of phase %d of its link, the last is %d", f.Tag, a.phases))
		}
		a.sender.Ledger.Process(int(f.From), f.Tag)
	}
	f.Release()
	a.processed++
	return true
}

// refuse ends the job because of an invalid frame.
func (a *arrivals) refuse(f *netio.Frame, why string) {
	from := f.From
	f.Release()
	a.caller.Fail(fmt.Errorf("pebble: rank %d refuses a frame from rank %d: %s", a.caller.id, from, why))
}

// retryStalled handles the stalled frames that their targets take now, and reports whether it handled any.
func (a *arrivals) retryStalled() bool {
	worked := false
	all := a.stalled.Move()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if a.handle(f) {
			worked = true
		} else {
			a.stalled.Push(f)
		}
	}
	return worked
}

// release releases all frames that wait.
func (a *arrivals) release() {
	for _, q := range []*netio.Frames{&a.futureEpoch, &a.deferred, &a.stalled} {
		q.Release()
	}
}
