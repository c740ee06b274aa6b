package task

import "time"

// A burst is what a rank does of tasks between two looks at what has arrived, and before it shares with ranks that
// have none. It is bounded in number, in time, and in frames: links have credit for so many, and tasks wait when it is
// used up before a look. The clock is not looked at for each task, which would take longer than a short one does: steps
// between looks are the longer the shorter tasks are, and so short that those which follow can't keep the rank for
// long, however long they take.

func (s *Scheduler) beginBurst() {
	s.looked, s.full = s.engine.Port.Now(), false
	s.ends, s.left, s.burst = s.looked+burstLong, s.step, burstMost-s.step
	s.sent = s.engine.Created
}

// more looks at the clock at the end of a step, and begins another one unless the burst has ended.
func (s *Scheduler) more() bool {
	s.look()
	if s.looked >= s.ends || s.burst <= 0 || s.engine.Created-s.sent >= burstFrames {
		return false
	}
	s.left = min(s.step, s.burst)
	s.burst -= s.left
	return true
}

// look reads the clock, and adapts steps to how long this one has taken.
func (s *Scheduler) look() {
	done, now := s.step-s.left, s.engine.Port.Now()
	if took := now - s.looked; took > burstLong {
		s.step = max(1, int(time.Duration(done)*burstLong/took))
	} else if took < burstLong/4 {
		s.step = min(2*s.step, stepMost)
	}
	s.looked = now
}
