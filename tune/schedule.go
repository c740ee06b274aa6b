package tune

import "time"

// Chooser chooses settings, window by window. A [Tuner] is one.
type Chooser interface {
	// Next returns the setting of the next window.
	Next() Setting
	// Observe takes the result of that window.
	Observe(Window)
}

// Schedule divides the epochs of a job into windows, and asks a chooser for their settings. It belongs to rank 0.
type Schedule struct {
	Least time.Duration               // least length of a window; 0 stands for 10 ms
	New   func(Site) (Chooser, error) // makes a chooser; nil stands for Auto without a model

	now    Setting // in force
	epochs int     // of a window

	chooser Chooser
	lost    time.Duration // at the end of the last window
	cost    time.Duration // of an end, the mean of the last few
}

const (
	windowDefault = 10 * time.Millisecond
	growthMost    = 8  // limit on the epochs of a window over those of the last one
	calmer        = 10 // factor on the length of windows once nothing is left to try
	worthItsEnd   = 50 // least length of a window over the cost of its end
)

func (s *Schedule) least() time.Duration {
	if s.Least <= 0 {
		return windowDefault
	}
	return s.Least
}

// Paid records the cost of the end of a window.
func (s *Schedule) Paid(cost time.Duration) {
	const few = 4
	s.lost = cost
	if s.cost == 0 {
		s.cost = cost
	}
	s.cost += (cost - s.cost) / few
}

// Between takes the result of the last window over all ranks, and chooses the setting and the number of epochs of the
// next.
func (s *Schedule) Between(seen Window, site Site) (next Setting, epochs int, err error) {
	s.epochs = max(s.epochs, 1)
	if s.chooser != nil {
		seen.Overhead = s.lost.Seconds()
		s.chooser.Observe(seen)
		s.resize(time.Duration(seen.Seconds * float64(time.Second)))
	} else if s.chooser, err = s.make(site); err != nil {
		s.chooser = nil
		return next, 0, err
	}
	s.now = s.chooser.Next()
	return s.now, s.epochs, nil
}

// resize adapts the number of epochs of a window to the time of the last one.
func (s *Schedule) resize(took time.Duration) {
	least := s.least()
	if t, ok := s.chooser.(*Tuner); ok && t.Settled() {
		least *= calmer
	}
	least = max(least, worthItsEnd*s.cost)
	switch {
	case took < least:
		s.epochs = min(s.epochs*int(min(max(least/max(took, 1), 2), growthMost)), 1<<20)
	case took > 4*least:
		s.epochs = max(s.epochs/2, 1)
	}
}

func (s *Schedule) make(site Site) (Chooser, error) {
	if s.New == nil {
		return Auto(site, nil)
	}
	return s.New(site)
}

// Chosen returns the setting in force, and its chooser; nil if none was asked.
func (s *Schedule) Chosen() (Setting, Chooser) { return s.now, s.chooser }
