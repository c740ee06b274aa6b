package idle

import "time"

// Streak is a run of idle polls, which find nothing, with the experience of earlier runs.
//
// A poll that yields costs a microsecond or less while no other thread wants the core: sched_yield returns immediately.
// Beside threads that compute, each sched_yield gives away a slice of the scheduler, milliseconds, and hundreds of
// polls take seconds. A rank that sleeps is scheduled soon after its wake-up, since it has used less than its share. So
// a streak ends after [StreakMax]. After a long streak, some streaks end before their first poll. Then polls are tried
// again, for the machine may be quiet by then.
type Streak struct {
	Polls int // so far
	began time.Duration
	skip  int // future streaks that end immediately
	skips int // value of skip after the last streak; 0 if that was short
}

// Long reports whether the streak should end. It reads the clock, at 40 ns, before the first poll and after 1, 2, 4, …
func (s *Streak) Long() bool {
	switch {
	case s.Polls&(s.Polls-1) != 0:
		return false
	case s.Polls > 0:
		return s.late()
	case s.skip > 0:
		s.skip--
		return true
	}
	s.began = Now()
	return false
}

func (s *Streak) late() bool { return Now()-s.began > StreakMax }

// End ends the streak after an arrival, or before the rank parks. It reads the clock if Long was called in this streak.
func (s *Streak) End() {
	polled := s.Polls > 0
	s.Polls = 0
	if !polled || s.began == 0 {
		return
	}
	if !s.late() {
		s.skips = 0
		return
	}
	s.skips = min(max(2*s.skips, SkipMin), SkipMax)
	s.skip = s.skips
}

// Now returns the time since this process started. It is the clock of ports.
func Now() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
