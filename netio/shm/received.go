package shm

import (
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// received are the frames of other processes that one rank has received over shared memory, until their senders have
// been told that they were released. To tell costs a cache line, so releases gather: see netio/internal/inflight. It
// keeps both pools.
type received struct {
	netio.Heap

	w       *Way
	pending netio.Stack  // pushed by anybody: released frames whose senders are to be told
	told    netio.Stack  // released, with nobody left to tell: the timer has told, or a control frame came in a slot
	remotes *netio.Pool  // lends frames whose memory is another process's
	inlines *netio.Pool  // lends frames that came in a slot
	remote  *netio.Frame // list of those not lent; the rank's own, as is the next
	inline  *netio.Frame // list of those not lent
	late    inflight.DelayedFlush
}

func (r *received) init(w *Way) {
	r.w = w
	r.remotes, r.inlines = netio.NewPool(r), netio.NewPool(r)
	r.late.Init(func() {
		for all := r.tellSenders(); !all.Empty(); {
			r.told.Push(all.Shift())
		}
	})
}

// awaited reports whether a frame's sender waits for its release: a control frame in a slot has been copied twice.
func awaited(f *netio.Frame) bool { return f.Inside(access).Received != frame.None }

// Release implements [netio.Keeper]. Only frames that somebody waits for are pending, so that the first one there arms
// the delayed flush.
func (r *received) Release(_ *netio.Pool, f *netio.Frame) {
	if !awaited(f) {
		r.told.Push(f)
		return
	}
	if r.pending.Push(f) {
		r.late.Arm()
	}
}

// lend lends a frame for a descriptor. The memory of one that did not come in its slot is given.
func (r *received) lend(d *local.Descriptor, mem []byte) *netio.Frame {
	free, pool := &r.remote, r.remotes
	if d.Inline {
		free, pool = &r.inline, r.inlines
	}
	if *free == nil {
		r.keep(r.told.Take())
	}
	f := *free
	if f == nil {
		f = &netio.Frame{}
		f.Inside(access).Pool = pool
		if d.Inline {
			mem = cpu.AlignedBytes(int(frame.Bytes(frame.ClassMin)))
		}
	}
	in := f.Inside(access)
	*free, in.Next = in.Next, nil
	if mem != nil {
		in.Memory = mem
	}
	f.Header, in.Sender, in.Received = d.Header, d.Sender, d.Number
	return f
}

// keep takes frames whose release is not awaited, for the next descriptors.
func (r *received) keep(all netio.Frames) {
	for f := all.Shift(); f != nil; f = all.Shift() {
		in, free := f.Inside(access), &r.inline
		if in.Pool == r.remotes {
			in.Memory, free = nil, &r.remote
		}
		in.Next, *free = *free, f
	}
}

// tellSenders sends all pending releases, and returns the frames.
func (r *received) tellSenders() netio.Frames {
	all := r.pending.Take()
	for f := all.First(); f != nil; {
		sender := f.Inside(access).Sender
		n, rest := 1, f.Inside(access).Next
		for rest != nil && rest.Inside(access).Sender == sender {
			n, rest = n+1, rest.Inside(access).Next
		}
		r.w.tellSender(f, n)
		f = rest
	}
	return all
}
