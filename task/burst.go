package task

import (
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
)

// burst is what a rank does of tasks between two looks at what has arrived, and before it shares with ranks that have
// none. It is bounded in number, in time, and in frames: links have credit for so many, and tasks wait when it is used
// up before a look. The clock is not looked at for each task, which would take longer than a short one does: steps
// between looks are the longer the shorter tasks are, and so short that those which follow can't keep the rank for
// long, however long they take.
type burst struct {
	step   int           // switches, and tasks begun without one, between two looks at the clock
	left   int           // those of them that are left
	beyond int           // those that are left of the burst, after these
	looked time.Duration // when the clock was last looked at
	ends   time.Duration // when the burst does
	sent   uint64        // frames that had left when it began
}

const (
	stepMost    = 32                    // switches and new tasks between two looks at the clock, at the most
	burstMost   = 512                   // and between two looks at what has arrived
	burstLong   = 50 * time.Microsecond // after so long there is no other before the next look at what has arrived
	burstFrames = 16                    // nor after so many frames
)

func (b *burst) begin(r *engine.Rank) {
	b.looked, b.sent = r.Sender.Port.Now(), r.Sender.Created
	b.ends, b.left, b.beyond = b.looked+burstLong, b.step, burstMost-b.step
}

// goesOn reports whether there is another one to do. At the end of a step it looks at the clock, and begins another one
// unless the burst has ended.
func (b *burst) goesOn(r *engine.Rank) bool { return b.left > 0 || b.more(r) }

func (b *burst) more(r *engine.Rank) bool {
	b.look(r)
	if b.looked >= b.ends || b.beyond <= 0 || r.Sender.Created-b.sent >= burstFrames {
		return false
	}
	b.left = min(b.step, b.beyond)
	b.beyond -= b.left
	return true
}

// look reads the clock, and adapts steps to how long this one has taken.
func (b *burst) look(r *engine.Rank) {
	done, now := b.step-b.left, r.Sender.Port.Now()
	if took := now - b.looked; took > burstLong {
		b.step = max(1, int(time.Duration(done)*burstLong/took))
	} else if took < burstLong/4 {
		b.step = min(2*b.step, stepMost)
	}
	b.looked = now
}
