package sim

import "github.com/activepebbles/pebbles/netio"

// carry sends a frame and reports whether it did. Otherwise the caller keeps the frame. The world is locked.
func (w *World) carry(r *rank, f *netio.Frame) bool {
	to := &w.ranks[f.To]
	k := w.layout.class(r.id, to.id)
	opens := r.opens(k, to, f.Bytes)
	r.clock += w.charges.ofEnd(k, f.Bytes, opens)
	if opens {
		r.sendAcksWith(to.process)
	}
	if r.process.down || to.process.down {
		w.refuse(r, to)
		return false
	}
	if w.charges.batch[k] > 0 && f.Kind == netio.Data {
		r.trackSent(f, to.process)
	}
	w.stats.Frames++
	w.stats.Bytes += uint64(f.Bytes)
	at := w.links.transit(r.clock, r, to, k, f.Bytes)
	if w.faults.active() {
		w.faults.send(r, to, k, at, f, opens)
		return true
	}
	w.deliver(to, parcel{at, w.number(), f, nil, opens})
	return true
}

// refuse fails the sender of a frame for a process that has ended normally before the job.
func (w *World) refuse(r, to *rank) {
	if r.process.down || w.aborted || to.process.lost {
		return
	}
	err := to.process.finished()
	w.plan(w.time(), func() { r.process.fail(err) })
}

// deliver queues a parcel for a rank.
func (w *World) deliver(to *rank, p parcel) {
	to.inbox.push(p)
	if to.parked {
		w.queue.sooner(to.id, max(to.clock, p.at))
	}
}
