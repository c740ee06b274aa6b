package pebble

import (
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/tune"
)

// within tunes the coalescing factor while an epoch runs, for programs whose epochs take long. Only rank 0 has one. Ranks need not
// have the same factor at the same time, so that a new one is told by messages that nobody waits for.
type within struct {
	tuner   Tuner
	fits    tune.Setting  // what it was made for, but for the factor
	trial   tune.Trial    // of the running window
	started time.Duration // the running window; 0 when there is none
	work    uint64        // done before it
}

const (
	patienceDefault = 50 * time.Millisecond
	withinPatience  = 10 // windows within an epoch last this part of the patience
)

// found is the factor in force; 0 when no epoch has taken long.
func (w *within) found() int {
	if w.tuner == nil {
		return 0
	}
	if t, ok := w.tuner.(interface{ Setting() tune.Setting }); ok {
		return t.Setting().Coalesce
	}
	return w.trial.Setting.Coalesce
}

// tuneWithin is looked at when the clock is. Rank 0 ends windows; all follow the last order.
func (r *Rank) tuneWithin(now time.Duration) {
	t := r.tuning
	if t == nil || !t.may.Coalesce || t.given == 0 || r.mode == outside {
		return
	}
	if r.id == 0 && t.patience > 0 && now-t.started >= t.patience {
		r.window(now)
	}
	if o := r.job.order.Load(); o != t.order && uint32(o>>32) == r.epoch {
		t.order = o
		for _, e := range r.endpoints {
			e.Refactor(int(uint32(o)))
		}
	}
}

// window ends a window when it is time, and begins the next.
func (r *Rank) window(now time.Duration) {
	t := r.tuning
	w := &t.within
	work := r.counters.PebblesSent + r.counters.PebblesHandled
	if w.started != 0 {
		length := t.patience / withinPatience
		if s := w.trial.Seconds; s > 0 {
			length = min(length, time.Duration(s*float64(time.Second)))
		}
		if now-w.started < length {
			return
		}
		w.tuner.Saw(tune.Window{Work: float64(work - w.work), Seconds: (now - w.started).Seconds()})
	} else if !r.startWithin() {
		return
	}
	w.started, w.work = now, work
	w.trial = w.tuner.Next()
	if f := w.trial.Setting.Coalesce; f != t.now.Coalesce {
		t.now.Coalesce = f
		r.refactor(f)
	}
}

// startWithin makes the tuner that fits the setting in force between epochs, and tells whether there is anything to tune.
func (r *Rank) startWithin() bool {
	w := &r.tuning.within
	site := r.tuningSite()
	site.Within, site.Topology, site.Cache = true, false, false
	if !site.Coalesce {
		return false
	}
	fits := site.Start
	fits.Coalesce = 0
	if w.tuner != nil && w.fits == fits {
		return true
	}
	tuner, err := r.newTuner(site)
	if err != nil {
		r.fail(err)
	}
	w.tuner, w.fits = tuner, fits
	return true
}

// refactor tells all ranks of the running epoch to take another factor.
func (r *Rank) refactor(factor int) {
	o := order{int(r.epoch), tune.Setting{Coalesce: factor}}
	r.job.order.Store(uint64(r.epoch)<<32 | uint64(factor))
	place := r.Place()
	for process := range place.Processes {
		if process != place.Process {
			r.tell(process, refactoring, o.bytes())
		}
	}
}

// refactored takes in an order from rank 0's process.
func (r *Rank) refactored(f *netio.Frame) {
	if f.From != 0 || f.Bytes != orderBytes {
		r.refuse(f, "it is no order of rank 0")
	}
	o := orderOf(f.Payload())
	f.Release()
	r.job.order.Store(uint64(uint32(o.epochs))<<32 | uint64(uint32(o.setting.Coalesce)))
}
