package trace

import (
	"sync/atomic"
	"time"
)

// Numbers of frequent events that a rank keeps in a window of time. When it has kept keptMost in the current window, it
// immediately halves its share, and again after each further keptStep. After a window with less than keptLeast it
// doubles its share.
const (
	window    = 250 * time.Millisecond
	keptMost  = 512
	keptStep  = 128
	keptLeast = 192
	everyMost = 1 << 24
)

// windows counts windows of time. It has its own cache line, since all ranks read it all the time.
type windows struct {
	_ [64]byte
	n atomic.Uint64
	_ [64]byte
}

// sampler chooses frequent events. It is for one goroutine.
type sampler struct {
	windows *windows
	seen    uint64 // number of its current window
	every   uint32 // it keeps one of this number
	drawn   uint32 // value of every when the next event was chosen
	left    uint32 // events until the next one that it keeps
	stands  uint32 // weight of the last kept event
	kept    uint32 // in the current window
	turn    uint32 // number of kept events that reduces the share
	random  uint64
}

func newSampler(w *windows, seed int) sampler {
	random := (uint64(seed) + 1) * 0x9e3779b97f4a7c15
	return sampler{windows: w, every: 1, drawn: 1, left: 1, stands: 1, turn: keptMost, random: random}
}

// Sampled reports whether to keep the next event of a frequent kind. Call it once for each. If it reports false, the
// caller need not even look at the clock. Initially it keeps all. When a rank has more than some thousand in a second,
// it keeps one in N: N grows within a second, and shrinks again in the seconds after. The choice among N is random, so
// that all of several alternating events are seen. The N of the last choice is the weight of the following events of
// frequent kinds. Seconds are those of [File.Drain], of wall time, whatever the job's clock does. A call takes about
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

// choose chooses the next event: with equal chances it is 1 to 2N-1 away, so N on average.
func (s *sampler) choose() {
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	s.drawn = s.every
	s.left = 1 + uint32(s.random>>32)%(2*s.every-1)
}

// turnWindow begins a new window. Windows without a call also count.
func (s *sampler) turnWindow() {
	now := s.windows.n.Load()
	for ; s.seen != now && s.every > 1 && s.kept < keptLeast; s.seen++ {
		s.every /= 2
		s.kept = 0
	}
	s.seen, s.kept, s.turn = now, 0, keptMost
	if s.left >= 2*s.every {
		s.choose() // it was chosen with a larger distance
	}
}
