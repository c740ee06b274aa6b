package trace

import (
	"sync/atomic"
	"time"
)

// A rank keeps so many frequent events in a window of time. When it has kept keptMost in the current one, it halves its
// share at once, and again after each keptStep more; after a window with less than keptLeast it doubles it.
const (
	window    = 250 * time.Millisecond
	keptMost  = 512
	keptStep  = 128
	keptLeast = 192
	everyMost = 1 << 24
)

// windows counts windows of time. It has a cache line for itself, since all ranks read it all the time.
type windows struct {
	_ [64]byte
	n atomic.Uint64
	_ [64]byte
}

// sampler chooses frequent events. One goroutine uses it.
type sampler struct {
	windows *windows
	seen    uint64 // the number of its current window
	every   uint32 // it keeps one in so many
	drawn   uint32 // every, when the next one was chosen
	left    uint32 // the next one is so many away
	stands  uint32 // for so many stands the one that was kept last
	kept    uint32 // in the current window
	turn    uint32 // it keeps less when it has kept so many
	random  uint64
}

func newSampler(w *windows, seed int) sampler {
	random := (uint64(seed) + 1) * 0x9e3779b97f4a7c15
	return sampler{windows: w, every: 1, drawn: 1, left: 1, stands: 1, turn: keptMost, random: random}
}

// Sampled reports whether the next event of a frequent kind is to be kept. It is asked once for each; where it says no,
// the caller need not even look at the clock. All are kept at first. When a rank has more than some thousand in a
// second, one in N is: N grows within a second, and shrinks again in the seconds after. Which one it is among N is
// random, so that events that come in turns are all seen. The N of the last yes is the weight of the events of frequent
// kinds that follow it. Seconds are those of [File.Drain], of wall time, whatever the job's clock does. It takes some
// two nanoseconds.
func (r *Rank) Sampled() bool { return r.sampled() }

func (s *sampler) sampled() bool {
	if s.windows.n.Load() != s.seen {
		s.turnWindow()
	}
	if s.left--; s.left > 0 {
		return false
	}
	s.keep()
	return true
}

// keep counts an event, and chooses the next one.
func (s *sampler) keep() {
	s.stands = s.drawn
	if s.kept++; s.kept > s.turn && s.every < everyMost {
		s.every *= 2
		s.turn += keptStep
	}
	s.choose()
}

// choose chooses the next event: with equal chances one that is 1 to 2N-1 away, so N on the mean.
func (s *sampler) choose() {
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	s.drawn = s.every
	s.left = 1 + uint32(s.random>>32)%(2*s.every-1)
}

// turnWindow begins a new window. Windows in which the rank has asked for nothing count, too.
func (s *sampler) turnWindow() {
	now := s.windows.n.Load()
	for ; s.seen != now && s.every > 1 && s.kept < keptLeast; s.seen++ {
		s.every /= 2
		s.kept = 0
	}
	s.seen, s.kept, s.turn = now, 0, keptMost
	if s.left >= 2*s.every {
		s.choose() // it was chosen when there were more
	}
}
