package engine

import "github.com/activepebbles/pebbles/netio"

// fill notes a frame that a buffer fills from here on.
func (r *Rank) fill(f *netio.Frame) {
	r.filling += f.Cost()
	r.buffers++
	r.buffersPeak = max(r.buffersPeak, r.buffers)
}

// filled notes that no buffer fills the frame any more.
func (r *Rank) filled(f *netio.Frame) {
	r.filling -= f.Cost()
	r.buffers--
}
