package ofi

import (
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// received is the keeper of the pool of frames from a process.
type received struct {
	netio.Heap

	peer *peer
	next []byte // memory for the next frame; nil means Go's
}

// Memory implements [netio.Keeper].
func (r *received) Memory(n int) []byte {
	if mem := r.next; mem != nil {
		r.next = nil
		return mem
	}
	return r.Heap.Memory(n)
}

// Drop implements [netio.Keeper].
func (r *received) Drop(f *netio.Frame) { r.peer.w.arena.release(f.Inside(access).Memory) }

// Release implements [netio.Keeper].
func (r *received) Release(pool *netio.Pool, f *netio.Frame) {
	p := r.peer
	if f.Inside(access).Received == frame.None || p.over.Load() {
		pool.TakeBack(f)
		return
	}
	if p.released.Push(f) {
		p.w.news.Store(true)
		p.w.late.Arm()
	}
	if p.over.Load() { // the end of the process may have preceded the push
		rest := p.released.TakeNewest()
		for f := rest.Shift(); f != nil; f = rest.Shift() {
			f.Inside(access).Pool.TakeBack(f)
		}
	}
}
