package netio

import "sync/atomic"

// receiver lends the frames that arrive on a lane, within a budget of bytes: the reader waits until ranks have released
// enough. A frame beyond the whole budget is lent when nothing else is.
type receiver struct {
	pool    *Pool // owned by the reader's goroutine
	budget  int64
	stopped atomic.Bool
	parking parking
}

func (r *receiver) init(budget int64) {
	r.budget = budget
	r.parking = newParking()
	r.pool = NewPool(r.parking.notify)
}

// lend returns nil when it is not to wait any more: after stop, or when dropping says so.
func (r *receiver) lend(n int, dropping func() bool) *Frame {
	cost := FrameCost(n)
	for !r.stopped.Load() && !dropping() {
		lent := r.pool.Lent()
		if lent == 0 || lent+cost <= r.budget {
			return r.get(n, lent+cost)
		}
		r.parking.announce()
		if !r.pool.returned.empty() || r.stopped.Load() || dropping() {
			r.parking.leave()
			continue
		}
		r.parking.sleep(-1)
	}
	return nil
}

// get lets go of frames of other sizes before it allocates past the budget.
func (r *receiver) get(n int, lent int64) *Frame {
	if lent+r.pool.Idle() > r.budget && !r.pool.has(n) {
		r.pool.Trim()
	}
	return r.pool.Get(n)
}

// stop ends a wait, and lets no further one begin. Anybody may call it.
func (r *receiver) stop() {
	r.stopped.Store(true)
	r.parking.wake()
}
