package tcp

import "github.com/activepebbles/pebbles/netio"

// receivePool lends the frames that arrive on a lane. What is lent at once is bounded by the senders, who wait for their
// frames to come back; what it keeps besides, by the rule of lend. It is for the reader's goroutine.
type receivePool struct {
	pool *netio.Pool
	most int64 // the most bytes lent at once since the last trim
}

// receivePoolFloor is how many bytes a receivePool may keep in any case.
const receivePoolFloor = 64 << 10

// lend lets go of idle frames of other sizes rather than hold more than twice what was in use at once.
func (r *receivePool) lend(n int) *netio.Frame {
	lent := r.pool.Lent() + netio.FrameCost(n)
	r.most = max(r.most, lent)
	if !r.pool.Inside(access).Has(n) && lent+r.pool.Idle() > max(2*r.most, receivePoolFloor) {
		r.trim()
	}
	return r.pool.Get(n)
}

// trim lets go of idle frames.
func (r *receivePool) trim() {
	r.pool.Trim()
	r.most = r.pool.Lent()
}
