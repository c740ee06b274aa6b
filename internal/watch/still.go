package watch

import "time"

// standstill detects a standstill of the job.
type standstill struct {
	moved uint64        // progress of all ranks at the last look
	still time.Duration // time without progress while a rank waits
	told  bool          // it was reported
}

// take adds the progress of a tick. It reports true once, when the job has stood still for the limit. A limit that is
// not positive is never reached.
func (s *standstill) take(all count, limit time.Duration) (stalled bool) {
	if all.Moved != s.moved || all.Waiting == 0 {
		s.moved, s.still, s.told = all.Moved, 0, false
		return false
	}
	s.still += tick
	if s.told || limit <= 0 || s.still < limit || traced() {
		return false
	}
	s.told = true
	return true
}
