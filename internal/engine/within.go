package engine

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
	enough  uint64        // pebbles sent before it can end
	turned  uint64        // pebbles sent before another can begin, since the factor has changed
}

const (
	longWindows = 5 // an epoch of more windows is tuned within
	shorter     = 2 // windows within an epoch are so many times as short: none of them has an end of an epoch
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
	if t == nil || !t.may.Coalesce || t.given == 0 || !r.inEpoch() {
		return
	}
	if r.id == 0 && now-t.started >= longWindows*t.window {
		r.window(now)
	}
	if o := r.job.order.Load(); o != t.order && uint32(o>>32) == r.Sender.Epoch {
		t.order = o
		for _, target := range r.targets {
			target.endpoint.Refactor(int(uint32(o)))
		}
	}
}

// window ends a window when it is time, and begins the next.
func (r *Rank) window(now time.Duration) {
	t := r.tuning
	w := &t.within
	if w.started != 0 {
		length := t.window / shorter
		if s := w.trial.Seconds; s > 0 {
			length = min(length, time.Duration(s*float64(time.Second)))
		}
		if now-w.started < length || r.Count.PebblesSent < w.enough {
			return
		}
		w.tuner.Saw(tune.Window{Work: float64(r.worked() - w.work), Seconds: (now - w.started).Seconds()})
		w.started = 0
	}
	if r.Count.PebblesSent < w.turned || !r.startWithin() {
		return
	}
	w.trial = w.tuner.Next()
	if factor := w.trial.Setting.Coalesce; factor != t.now.Coalesce {
		w.turned = r.turnover(max(factor, t.now.Coalesce)) // what the change itself costs or spares is no part of a window
		t.now.Coalesce = factor
		r.refactor(factor)
		return
	}
	w.started, w.work, w.enough = now, r.worked(), r.turnover(t.now.Coalesce)
}

// worked is what rank 0 judges by within an epoch.
func (r *Rank) worked() uint64 { return r.Count.PebblesSent + r.Count.PebblesHandled }

// turnover is how many pebbles have been sent when all buffers have filled twice from now on.
func (r *Rank) turnover(factor int) uint64 {
	const fills = 2
	return r.Count.PebblesSent + fills*uint64(r.Buffers*factor)
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
		r.Fail(err)
	}
	w.tuner, w.fits = tuner, fits
	return true
}

// refactor tells all ranks of the running epoch to take another factor.
func (r *Rank) refactor(factor int) {
	o := order{int(r.Sender.Epoch), tune.Setting{Coalesce: factor}}
	r.job.order.Store(uint64(r.Sender.Epoch)<<32 | uint64(factor))
	place := r.Place()
	for process := range place.Processes {
		if process != place.Process {
			r.tell(process, Refactoring, o.bytes())
		}
	}
}

// refactored takes in an order from rank 0's process.
func (r *Rank) refactored(f *netio.Frame) {
	if f.From != 0 || f.Bytes != orderBytes {
		r.refuse(f, "it is no order of rank 0")
	}
	o := orderOf(f.Payload())
	if why := o.wrong(); why != "" {
		r.refuse(f, why)
	}
	f.Release()
	r.job.order.Store(uint64(uint32(o.epochs))<<32 | uint64(uint32(o.setting.Coalesce)))
}
