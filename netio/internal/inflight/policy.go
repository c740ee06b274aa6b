package inflight

import (
	"sync/atomic"
	"time"
)

// When acknowledgements are told.
const (
	// PromptShare: a sender asks for a prompt acknowledgement of one frame in 4 of those in flight. With few frames of
	// credit it gets each back at once, and with many it keeps most of them moving.
	PromptShare = 4
	// PromptMax: of one frame in 64 at least.
	PromptMax = 64
	// PromptLookEvery is how many calls of Recv there are to one that tells prompt acknowledgements over TCP: they
	// travel with what the rank sends until then. A rank that pauses or parks tells them first.
	PromptLookEvery = 16
	// AckTogether is how many frames a rank receives over shared memory before it tells what it has released, when
	// there are always more: it holds up few of the frames that a sender has credit for.
	AckTogether = 8
	// ReleaseLookEvery is the number of calls of Recv for each look for releases over shared memory that the rank has not
	// asked for. A look each time would take their cache line from the rank that writes the next one.
	ReleaseLookEvery = 256
	// SharedMax is how many data frames a rank may have in flight over shared memory.
	SharedMax = 1 << 12
	// DelayMax is how long an acknowledgement or a small frame may wait while the ranks of its process are busy with
	// something else. A sender gets its credit back at most so much later than at once, and the timer is set a
	// thousand times a second, not once a frame.
	DelayMax = time.Millisecond
)

// Prompter selects the frames of which a sender asks for a prompt acknowledgement.
type Prompter struct{ since int }

// Next is called for each frame with the number in flight. It reports whether the frame asks for a prompt
// acknowledgement.
func (p *Prompter) Next(inFlight int) bool {
	p.since++
	prompt := p.since >= PromptMax || p.since*PromptShare >= inFlight
	if prompt {
		p.since = 0
	}
	return prompt
}

// DelayedFlush calls a function [DelayMax] after it was armed.
type DelayedFlush struct {
	timer *time.Timer
	armed atomic.Bool // to set the timer for each frame would cost too much
}

// Init sets the function, before the first Arm. The function must not block; it may run while the same state is being
// flushed elsewhere.
func (d *DelayedFlush) Init(flush func()) {
	d.timer = time.AfterFunc(time.Hour, func() {
		d.armed.Store(false) // whoever comes from now on arms it again
		flush()
	})
	d.timer.Stop()
}

// Arm costs one load when it is armed already. Any goroutine may call it.
func (d *DelayedFlush) Arm() {
	if !d.armed.Load() && !d.armed.Swap(true) {
		d.timer.Reset(DelayMax)
	}
}

// Armed reports whether the function will be called.
func (d *DelayedFlush) Armed() bool { return d.armed.Load() }

// Hold has Arm do nothing, for tests.
func (d *DelayedFlush) Hold() { d.armed.Store(true) }

// Stop keeps the function from being called, unless it is armed again.
func (d *DelayedFlush) Stop() { d.timer.Stop() }
