package tune

import (
	"time"
)

// Chooser chooses settings, window by window. A [Tuner] is one.
type Chooser interface {
	// Next is what to run the next window with.
	Next() Trial
	// Saw takes the result of that window.
	Saw(Window)
}

// Schedule divides the time of a job into windows, and asks choosers what to run them with: one between epochs, and one
// for the coalescing factor within epochs that take long. It belongs to rank 0, which passes it the time.
type Schedule struct {
	Least time.Duration               // what a window takes; 0 is 10 ms
	New   func(Site) (Chooser, error) // makes a chooser; nil is Auto without a model

	now     Setting // in force
	between Chooser
	epochs  int           // of a window
	pinned  int           // the factor that was found within epochs; 0 when it is for the chooser to find
	lost    time.Duration // at the end of the last window
	cost    time.Duration // of an end, the mean of the last few
	within  within
}

// within is the part of epochs that take long. Ranks need not have the same factor at the same time.
type within struct {
	chooser Chooser
	fits    Setting       // what it was made for, but for the factor
	trial   Trial         // of the running window
	started time.Duration // the running window; 0 when there is none
	work    uint64        // done before it
	enough  uint64        // pebbles sent before it can end
	turned  uint64        // pebbles sent before another can begin, since the factor has changed
}

const (
	windowDefault = 10 * time.Millisecond
	windowMax     = 4 // times its least
	growthMax     = 8 // times the last one
	calmWindows   = 10
	worthItsEnd   = 50 // a window is so many times as long as what its end costs
	longWindows   = 5  // an epoch of more windows is tuned within
	shorter       = 2  // windows within an epoch are so many times as short: none of them has an end of an epoch
)

func (s *Schedule) least() time.Duration {
	if s.Least <= 0 {
		return windowDefault
	}
	return s.Least
}

// Ended notes the end of an epoch. A window within it ends with it, and tells nothing.
func (s *Schedule) Ended() { s.within.started = 0 }

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
	if found := s.within.found(); found != s.pinned {
		s.pinned, s.between = found, nil // windows with experiments of another chooser say little
		site.Start.Coalesce, site.Coalesce = found, false
	}
	if s.between == nil {
		if s.between, err = s.make(site); err != nil {
			return next, 0, err
		}
	} else {
		seen.Overhead = s.lost.Seconds()
		s.between.Saw(seen)
		s.lengthen(time.Duration(seen.Seconds*float64(time.Second)), max(s.least()*s.calm(), worthItsEnd*s.cost))
	}
	s.now = s.between.Next().Setting
	return s.now, s.epochs, nil
}

// calm is how many times as long windows are once nothing is left to try.
func (s *Schedule) calm() time.Duration {
	if t, ok := s.between.(interface{ Settled() bool }); ok && t.Settled() {
		return calmWindows
	}
	return 1
}

// lengthen fits the number of epochs of a window to how long the last one took.
func (s *Schedule) lengthen(took, least time.Duration) {
	switch {
	case took < least:
		s.epochs = min(s.epochs*int(min(max(least/max(took, 1), 2), growthMax)), 1<<20)
	case took > windowMax*least:
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
// returns the coalescing factor that the site is to take, which may be the one that it has.
func (s *Schedule) Within(now, elapsed time.Duration, done Done, site func() Site) (factor int, err error) {
	w := &s.within
	if elapsed < longWindows*s.least() {
		return 0, nil
	}
	if w.started != 0 {
		length := s.least() / shorter
		if s := w.trial.Seconds; s > 0 {
			length = min(length, time.Duration(s*float64(time.Second)))
		}
		if now-w.started < length || done.Sent < w.enough {
			return 0, nil
		}
		w.chooser.Saw(Window{Work: float64(done.Sent + done.Handled - w.work), Seconds: (now - w.started).Seconds()})
		w.started = 0
	}
	if done.Sent < w.turned {
		return 0, nil
	}
	at := site()
	if ok, err := s.fit(at); !ok {
		return 0, err
	}
	w.trial = w.chooser.Next()
	factor = w.trial.Setting.Coalesce
	s.now.Coalesce = factor
	if factor != at.Start.Coalesce {
		w.turned = done.turnover(max(factor, at.Start.Coalesce)) // what the change itself costs or spares is no part of a window
	} else {
		w.started, w.work, w.enough = now, done.Sent+done.Handled, done.turnover(factor)
	}
	return factor, nil
}

// turnover is how many pebbles have been sent when all buffers have filled twice from now on.
func (d Done) turnover(factor int) uint64 {
	const fills = 2
	return d.Sent + fills*uint64(d.Buffers*factor)
}

// fit makes the chooser that fits the setting in force between epochs, and reports whether there is anything to choose.
func (s *Schedule) fit(site Site) (ok bool, err error) {
	w := &s.within
	site.Within, site.Topology, site.Cache = true, false, false
	if !site.Coalesce {
		return false, nil
	}
	fits := site.Start
	fits.Coalesce = 0
	if w.chooser == nil || w.fits != fits {
		chooser, err := s.make(site)
		if err != nil {
			return false, err
		}
		w.chooser, w.fits = chooser, fits
	}
	return true, nil
}

// found is the factor in force; 0 when no epoch has taken long.
func (w *within) found() int {
	if w.chooser == nil {
		return 0
	}
	if t, ok := w.chooser.(interface{ Setting() Setting }); ok {
		return t.Setting().Coalesce
	}
	return w.trial.Setting.Coalesce
}

// Setting is the one in force.
func (s *Schedule) Setting() Setting { return s.now }

// Choosers are the one between epochs and the one within, those that exist.
func (s *Schedule) Choosers() (all []Chooser) {
	if s.between != nil {
		all = append(all, s.between)
	}
	if s.within.chooser != nil {
		all = append(all, s.within.chooser)
	}
	return all
}
