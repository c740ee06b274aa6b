package tcp

import (
	"sync"
	"sync/atomic"
)

// peers holds the other processes of a job that this one deals with. A peer is made at its first use: by a connection
// of the start, a frame, or the peer's own dial. Every other process costs one word.
type peers struct {
	all []atomic.Pointer[peer] // by process; nil for this one, and for those that were not made

	making sync.Mutex
	made   []*peer // in the order of their creation; guarded by making
}

// peer returns another process. Any goroutine may call it. It costs one load once the peer is made.
func (t *Transport) peer(process int) *peer {
	if p := t.peers.all[process].Load(); p != nil {
		return p
	}
	return t.makePeer(process)
}

// makePeer makes a peer, unless another goroutine has made it. While this process ends, a new peer has ended from the
// start: callers that end all peers set down before they call others, so they find the peer, or makePeer finds down
// set.
func (t *Transport) makePeer(process int) *peer {
	all := &t.peers
	all.making.Lock()
	defer all.making.Unlock()
	if p := all.all[process].Load(); p != nil {
		return p
	}
	p := newPeer(t, process)
	if t.down.Load() {
		p.end(nil)
	}
	all.made = append(all.made, p)
	all.all[process].Store(p)
	return p
}

// others returns the peers that were made so far.
func (t *Transport) others() []*peer {
	t.peers.making.Lock()
	defer t.peers.making.Unlock()
	return t.peers.made // which only grows
}

// stream returns a stream of an existing peer, by its number among all streams.
func (t *Transport) stream(id int) *stream {
	return t.peers.all[id/streamCount].Load().streams[id%streamCount]
}
