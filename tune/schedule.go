package tune

import "time"

// Chooser chooses settings, window by window. A [Tuner] is one.
type Chooser interface {
	// Next is what to run the next window with.
	Next() Setting
	// Saw takes the result of that window.
	Saw(Window)
}

// Schedule divides the time of a job into windows, and asks choosers what to run them with: one between epochs, and one
// for the coalescing factor within epochs that take long. It belongs to rank 0, which passes it the time.
type Schedule struct {
	Least time.Duration               // what a window takes; 0 is 10 ms
	New   func(Site) (Chooser, error) // makes a chooser; nil is Auto without a model

	now    Setting // in force
	epochs int     // of a window

	between Chooser       // asked between epochs
	pinned  int           // the factor that was found within epochs; 0 when the chooser between them is to find it
	lost    time.Duration // at the end of the last window
	cost    time.Duration // of an end, the mean of the last few

	// Of windows within an epoch. Ranks need not have the same factor at the same time.
	within  Chooser
	fits    Setting       // what it was made for, but for the factor
	started time.Duration // the running window; 0 when there is none
	work    uint64        // done before it
	enough  uint64        // pebbles sent before it can end, or another can begin once the factor has changed
}

const (
	windowDefault = 10 * time.Millisecond
	growthMost    = 8  // times the epochs of the last window
	calmer        = 10 // windows are so many times as long once nothing is left to try
	worthItsEnd   = 50 // a window is so many times as long as what its end costs
	longWindows   = 5  // an epoch of more windows is tuned within
	shorter       = 2  // windows within an epoch are so many times as short: none of them has an end of an epoch
	fills         = 2  // of all buffers, before what a factor does is seen
)

func (s *Schedule) least() time.Duration {
	if s.Least <= 0 {
		return windowDefault
	}
	return s.Least
}

// Ended notes the end of an epoch. A window within it is dropped.
func (s *Schedule) Ended() { s.started = 0 }

// Paid notes what the end of a window has cost.
func (s *Schedule) Paid(cost time.Duration) {
	const few = 4
	s.lost = cost
	if s.cost == 0 {
		s.cost = cost
	}
	s.cost += (cost - s.cost) / few
}

// Between takes what all ranks saw of the last window, and chooses the setting and the number of epochs of the next.
func (s *Schedule) Between(seen Window, site Site) (next Setting, epochs int, err error) {
	s.epochs = max(s.epochs, 1)
	if s.within != nil {
		if found := chosen(s.within).Coalesce; found != s.pinned {
			s.pinned, s.between = found, nil // windows with experiments of another chooser say little
			site.Start.Coalesce, site.Coalesce = found, false
		}
	}
	if s.between == nil {
		if s.between, err = s.make(site); err != nil {
			return next, 0, err
		}
	} else {
		seen.Overhead = s.lost.Seconds()
		s.between.Saw(seen)
		s.resize(time.Duration(seen.Seconds * float64(time.Second)))
	}
	s.now = s.between.Next()
	return s.now, s.epochs, nil
}

// resize fits the number of epochs of a window to how long the last one took.
func (s *Schedule) resize(took time.Duration) {
	least := s.least()
	if t, ok := s.between.(*Tuner); ok && t.Settled() {
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

// Done is what rank 0 has done so far.
type Done struct {
	Sent, Handled uint64 // pebbles
	Buffers       int    // that are filling
}

// Within ends a window within an epoch when it is time, and begins the next. elapsed is since the epoch began. It
// returns the coalescing factor that the site is to use, which may be the one that it has; 0 when nothing changes.
func (s *Schedule) Within(now, elapsed time.Duration, done Done, site func() Site) (factor int, err error) {
	if elapsed < longWindows*s.least() || done.Sent < s.enough {
		return 0, nil
	}
	if s.started != 0 {
		if now-s.started < s.least()/shorter {
			return 0, nil
		}
		s.within.Saw(Window{Work: float64(done.Sent + done.Handled - s.work), Seconds: (now - s.started).Seconds()})
		s.started = 0
	}
	at := site()
	at.Within, at.Topology, at.Cache = true, false, false
	if !at.Coalesce {
		return 0, nil
	}
	fits := at.Start
	fits.Coalesce = 0
	if s.within == nil || s.fits != fits {
		if s.within, err = s.make(at); err != nil {
			return 0, err
		}
		s.fits = fits
	}
	factor = s.within.Next().Coalesce
	s.now.Coalesce = factor
	s.enough = done.Sent + fills*uint64(done.Buffers*max(factor, at.Start.Coalesce))
	if factor == at.Start.Coalesce { // what a change itself costs or spares is no part of a window
		s.started, s.work = now, done.Sent+done.Handled
	}
	return factor, nil
}

// chosen is the setting that a chooser has in force.
func chosen(c Chooser) Setting {
	if t, ok := c.(*Tuner); ok {
		return t.Setting()
	}
	return c.Next()
}

// Setting is the one in force.
func (s *Schedule) Setting() Setting { return s.now }

// Choosers are the one between epochs and the one within, those that exist.
func (s *Schedule) Choosers() (all []Chooser) {
	for _, c := range []Chooser{s.between, s.within} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}
