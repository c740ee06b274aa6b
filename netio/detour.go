package netio

// NewDetouredPool makes a pool whose frames, when they are released, go to the function first, by whoever releases them and
// on that goroutine. It hands each one to [Pool.TakeBack], once, at once or later: so a simulated network lets the word of a
// release take its time. Allocation and accounts are those of [NewPool].
func NewDetouredPool(released func(*Frame)) *Pool {
	p := NewPool(nil)
	p.home = released
	return p
}

// TakeBack ends the detour of a frame that this pool has lent. Any goroutine may call it.
func (p *Pool) TakeBack(f *Frame) { p.takeBack(f) }
