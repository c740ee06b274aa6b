package task

import (
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
)

// burst is a rank's work on tasks between two polls, and before it shares with ranks that have none. It is bounded in
// number, in time, and in frames, since links have limited credit, and tasks wait when it is used up before a poll. The
// clock is not read for each task, which would take longer than a short task. Steps between readings are longer for
// shorter tasks, and short enough that later tasks, of any length, can't keep the rank for long.
type burst struct {
	step   int           // switches, and tasks begun without one, between two readings of the clock
	left   int           // of these, those left
	beyond int           // those left of the burst after these
	looked time.Duration // last reading of the clock
	ends   time.Duration // end of the burst
	sent   uint64        // frames that had left when it began
}

const (
	stepMost    = 32                    // most switches and new tasks between two readings of the clock
	burstMost   = 512                   // most between two polls
	burstLong   = 50 * time.Microsecond // longest burst
	burstFrames = 16                    // most frames of a burst
)

func (b *burst) begin(r *engine.Rank) {
	b.looked, b.sent = r.Sender.Port.Now(), r.Sender.Created
	b.ends, b.left, b.beyond = b.looked+burstLong, b.step, burstMost-b.step
}

// goesOn reports whether the burst continues. At the end of a step it reads the clock, and starts another step unless
// the burst has ended.
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

// look reads the clock, and adapts the step to the time that this one took.
func (b *burst) look(r *engine.Rank) {
	done, now := b.step-b.left, r.Sender.Port.Now()
	if took := now - b.looked; took > burstLong {
		b.step = max(1, int(time.Duration(done)*burstLong/took))
	} else if took < burstLong/4 {
		b.step = min(2*b.step, stepMost)
	}
	b.looked = now
}
