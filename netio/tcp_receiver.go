package netio

// receiver lends the frames that arrive on a lane. What is lent at once is bounded by the senders, who wait for their
// frames to come back; what it keeps besides, by the rule of lend. It is for the reader's goroutine.
type receiver struct {
	pool *Pool
	most int64 // the most bytes lent at once since the last trim
}

// receiverFloor is how many bytes a receiver may keep in any case.
const receiverFloor = 64 << 10

// lend lets go of idle frames of other sizes rather than hold more than twice what was in use at once.
func (r *receiver) lend(n int) *Frame {
	lent := r.pool.Lent() + FrameCost(n)
	r.most = max(r.most, lent)
	if !r.pool.has(n) && lent+r.pool.Idle() > max(2*r.most, receiverFloor) {
		r.trim()
	}
	return r.pool.Get(n)
}

// trim lets go of idle frames.
func (r *receiver) trim() {
	r.pool.Trim()
	r.most = r.pool.Lent()
}
