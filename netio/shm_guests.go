package netio

import (
	"sync/atomic"
	"time"
)

// guests are the frames of other processes that one rank has received through shared memory, until it has been told that
// they were released. Telling costs a cache line, so releases gather until the rank finds nothing to receive, or has
// received some more, or the oldest gets late.
type guests struct {
	t        *Shm
	released stack       // pushed by anybody: frames whose senders are to be told
	told     stack       // released, with nobody left to tell: the timer has told, or a control frame came in a slot
	shells   Pool        // lends frames whose memory is another process's
	smalls   Pool        // lends frames that came in a slot
	shell    *Frame      // not lent; the rank's own, as is the next
	small    *Frame      // not lent
	late     *time.Timer // tells while the rank is busy with something else
	armed    atomic.Bool // late runs
}

// lateMax is how long a release may wait while the rank is busy. A sender gets its credit back at most so much later than at once, and a
// rank that releases steadily sets the timer a thousand times a second, not once a frame.
const lateMax = time.Millisecond

func (g *guests) init(t *Shm) {
	g.t = t
	g.shells.home, g.smalls.home = g.release, g.release
	g.late = time.AfterFunc(time.Hour, func() {
		g.armed.Store(false) // whoever releases a frame from now on sets it again
		for f := g.tell(); f != nil; {
			next := f.next
			g.told.push(f)
			f = next
		}
	})
	g.late.Stop()
}

// release is what Frame.Release comes to. Anybody may call it. Only frames that somebody waits for are in released, so that the first
// one there sets the timer.
func (g *guests) release(f *Frame) {
	if !f.awaited() {
		g.told.push(f)
		return
	}
	if g.released.push(f) && !g.armed.Load() && !g.armed.Swap(true) {
		g.late.Reset(lateMax)
	}
}

// lodge lends a frame for a letter. The memory of one that did not come in its slot is given.
func (g *guests) lodge(l *letter, mem []byte) *Frame {
	free := &g.shell
	if l.inline {
		free = &g.small
	}
	if *free == nil {
		g.settle(g.told.takeAll())
	}
	f := *free
	switch {
	case f != nil:
		*free = f.next
		f.next = nil
	case l.inline:
		f = &Frame{mem: alignedBytes(int(classBytes(classMin))), pool: &g.smalls}
	default:
		f = &Frame{pool: &g.shells}
	}
	if !l.inline {
		f.mem = mem
	}
	f.Header, f.sender, f.receipt = l.Header, l.sender, ticket(l.passage)
	return f
}

// awaited tells whether the frame's sender waits for it: a control frame in a slot has been copied twice.
func (f *Frame) awaited() bool { return f.receipt != ticket(noPassage) }

// settle keeps frames that nobody waits for any more, for the next letters.
func (g *guests) settle(f *Frame) {
	for f != nil {
		next := f.next
		free := &g.shell
		if f.pool == &g.smalls {
			free = &g.small
		} else {
			f.mem = nil
		}
		f.next = *free
		*free = f
		f = next
	}
}

// tell tells of all releases, and returns the frames.
func (g *guests) tell() *Frame {
	all := g.released.takeAll()
	for f := all; f != nil; {
		n, rest := 1, f.next
		for rest != nil && rest.sender == f.sender {
			n, rest = n+1, rest.next
		}
		g.t.tell(f, n)
		f = rest
	}
	return all
}
