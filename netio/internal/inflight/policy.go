package inflight

import (
	"sync/atomic"
	"time"
)

// Times of acknowledgements.
const (
	// PromptShare makes a sender ask for a prompt acknowledgement of one in 4 of its frames in flight. With few frames
	// of credit it gets each back immediately, and with many it keeps most of them moving.
	PromptShare = 4
	// PromptMax makes that at least one frame in 64.
	PromptMax = 64
	// PromptLookEvery is the number of calls of Recv for each look that sends prompt acknowledgements over TCP. They
	// travel with the rank's frames until then. A rank that pauses or parks sends them first.
	PromptLookEvery = 16
	// AckTogether is the number of frames that a busy rank receives over shared memory before it reports its releases.
	// It delays few of the frames that a sender has credit for.
	AckTogether = 8
	// ReleaseLookEvery is the number of calls of Recv for each unrequested look for releases over shared memory. A look
	// each time would take their cache line from the rank that writes the next one.
	ReleaseLookEvery = 256
	// SharedMax is the maximum number of a rank's data frames in flight over shared memory.
	SharedMax = 1 << 12
	// DelayMax is the longest delay of an acknowledgement or a small frame while the ranks of its process are busy with
	// other work. A sender gets its credit back at most this much later, and the timer is set a thousand times a
	// second, not once a frame.
	DelayMax = time.Millisecond
)

// Prompter selects the frames whose sender asks for a prompt acknowledgement.
type Prompter struct{ since int }

// Next is called for each frame with the number in flight. It reports whether the frame asks for a prompt ack.
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
	armed atomic.Bool // setting the timer for each frame would cost too much
}

// Init sets the function, before the first Arm. The function must not block. It may run while the same state is being
// flushed elsewhere.
func (d *DelayedFlush) Init(flush func()) {
	d.timer = time.AfterFunc(time.Hour, func() {
		d.armed.Store(false) // later calls of Arm set it again
		flush()
	})
	d.timer.Stop()
}

// Arm arms the flush. It costs one load if it is already armed. Any goroutine may call it.
func (d *DelayedFlush) Arm() {
	if !d.armed.Load() && !d.armed.Swap(true) {
		d.timer.Reset(DelayMax)
	}
}

// Armed reports whether the function will be called.
func (d *DelayedFlush) Armed() bool { return d.armed.Load() }

// Hold makes Arm do nothing, for tests.
func (d *DelayedFlush) Hold() { d.armed.Store(true) }

// Stop prevents the call of the function until the next Arm.
func (d *DelayedFlush) Stop() { d.timer.Stop() }
