package shm

import (
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// received holds the frames of other processes that one rank has received over shared memory, until their releases are
// reported to the senders. A report costs a cache line, so releases gather: see netio/internal/inflight. It is the
// keeper of both pools.
type received struct {
	netio.Heap

	w       *Way
	pending netio.Stack  // released frames whose senders wait; any goroutine pushes
	told    netio.Stack  // released frames that need no report: the timer sent it, or a control frame came in a slot
	remotes *netio.Pool  // lends frames whose memory belongs to another process
	inlines *netio.Pool  // lends frames that came in a slot
	remote  *netio.Frame // idle frames of remotes; the rank's own, like the next
	inline  *netio.Frame // idle frames of inlines
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

// awaited reports whether a frame's sender waits for its release. A control frame in a slot was copied twice, so its
// sender does not wait.
func awaited(f *netio.Frame) bool { return f.Inside(access).Received != frame.None }

// Release implements [netio.Keeper]. Only frames whose release is awaited are pending, so that the first of them arms
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

// lend lends a frame for a descriptor. mem is the memory of a frame that did not come in its slot.
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

// keep keeps frames whose release is not awaited, for the next descriptors.
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
