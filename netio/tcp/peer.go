package tcp

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
)

// These are the streams of a peer. handshake.Hello carries these numbers.
const (
	controlStream = iota
	dataStream
	streamCount
)

func streamOf(k netio.Kind) int {
	if k == netio.Control {
		return controlStream
	}
	return dataStream
}

// The reason for a broken connection may take causeDelayMax to arrive, on the peer's other connection or from another
// process. After that the peer itself is the cause. The reason may take noticeDelayMax if a peer has left a failed job,
// or has ended without a connection to this process: the peer's neighbours have the reason.
const (
	causeDelayMax  = 500 * time.Millisecond
	noticeDelayMax = 2 * time.Second
)

// peer is this process's view of another process of the job. It ends once, with one cause.
//
//	joining ──► running ──► finished (its streams have heard goodbye)
//	    │          │            │
//	    └──────────┴────────────┴──► over (lost, aborted, or this process has closed)
type peer struct {
	t       *Transport
	place   netio.Place
	streams [streamCount]*stream
	sent    sentFrames  // data frames that the peer has not acknowledged
	acks    pendingAcks // acknowledgements not yet sent to the peer
	server  server      // for the peer's operations on memory exposed here
	silent  atomic.Bool // the peer answers nothing any more
	left    atomic.Bool // the peer has said goodbye to a failed job

	offers map[string]handshake.Offer // by the names of transports; final at the end of the start

	mu      sync.Mutex // guards all below, and calls of the streams
	over    bool
	untold  error // cause of the end, if not reported
	losing  *time.Timer
	ending  error // cause of the end that losing brings
	aborted bool  // the peer has ended the job: its own end is no loss

	released bool // after over: its frames and acknowledgements have been returned
}

func newPeer(t *Transport, process int) *peer {
	p := &peer{t: t, place: netio.PlaceOf(t.place.Ranks, t.place.Processes, process)}
	p.acks.init(p)
	p.sent.ended = p.hush
	p.server = server{t: t, number: t.place.Last - t.place.First + process, answers: netio.NewPool(nil)}
	for i, keeper := range [streamCount]netio.Keeper{controlStream: nil, dataStream: &p.acks} {
		p.streams[i] = newStream(p, i, keeper)
	}
	return p
}

// hush records that the peer answers no more operations.
func (p *peer) hush() {
	if p.silent.Swap(true) || !p.t.remotes.Load() {
		return
	}
	p.t.endings.Add(1)
	for _, rank := range p.t.ports {
		rank.Wake()
	}
}

// unreachable reports whether operations on the peer's memory can no longer succeed.
func (p *peer) unreachable() bool { return p.silent.Load() || p.t.down.Load() }

// join gives a stream its connection, and starts it.
func (p *peer) join(number uint8, conn net.Conn) error {
	l := p.streams[number]
	if err := p.connect(l, conn); err != nil {
		return fmt.Errorf("join process %d: %w", p.place.Process, err)
	}
	l.kick() // an abort message may have come first
	return nil
}

func (p *peer) connect(l *stream, conn net.Conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.aborted || p.t.down.Load() {
		return errors.New("this process is closing")
	}
	if l.joined {
		return errors.New("it is connected already")
	}
	s, err := p.t.adopt(conn, l.id)
	if err != nil {
		return err
	}
	l.joined, l.answering = true, false
	l.up.Store(true)
	if s == nil {
		l.serve(conn)
		return nil
	}
	return l.attach(s)
}

// sayGoodbye gives both streams until the deadline to flush their frames and say goodbye.
func (p *peer) sayGoodbye(deadline time.Time) {
	p.mu.Lock()
	for _, l := range p.streams {
		l.limit(deadline)
	}
	p.mu.Unlock()
	for _, l := range p.streams {
		f := message(goodbye, "")
		if p.t.aborted.Load() {
			f.Flags = afterFailure
		}
		l.send(f)
	}
}

// loseLater loses the peer after a delay. It is called when a connection breaks, or when a frame is sent to a finished
// process. The cause is often another failure, whose report gets time to arrive.
func (p *peer) loseLater(cause error) {
	if p.endLater(causeDelayMax, p.lost(cause)) {
		p.t.spread.lose(p.place.Process)
	}
}

// leave is called when the peer has said goodbye. After a failure the peer has passed the reason on, so this process
// gets it soon.
func (p *peer) leave() {
	if p.left.Load() {
		reason := fmt.Sprintf("process %d left the job, which had failed, and the reason has not come", p.place.Process)
		p.endLater(noticeDelayMax, &netio.AbortError{Process: p.place.Process, Reason: reason})
	}
}

// endLater ends the peer after a delay, and reports whether this is the peer's first end.
func (p *peer) endLater(delay time.Duration, cause error) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.losing != nil {
		return false
	}
	p.losing, p.ending = time.AfterFunc(delay, func() { p.end(cause) }), cause
	return true
}

func (p *peer) lose(cause error) {
	if p.end(p.lost(cause)) {
		p.t.spread.lose(p.place.Process)
	}
}

func (p *peer) lost(cause error) error {
	return &netio.LostError{Process: p.place.Process, First: p.place.First, Last: p.place.Last, Cause: cause}
}

// abort is called when the peer has ended the job. Its connections stay for notices; no new one is made.
func (p *peer) abort(cause *netio.AbortError) {
	p.mu.Lock()
	news := !p.over && !p.aborted && !p.t.down.Load()
	p.aborted = true
	for _, l := range p.streams {
		if !l.joined {
			l.out.close()
		}
	}
	p.mu.Unlock()
	if news {
		p.report(cause)
	}
	p.release()
}

func (p *peer) report(cause error) {
	p.t.config.Log.Error("peer ended", "process", p.place.Process, "error", cause)
	p.t.events.report(cause)
}

// open reports whether abort messages reach the peer.
func (p *peer) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.streams[controlStream]
	return l.joined && !p.over && p.losing == nil && !l.finished.Load()
}

// gone reports whether the peer cannot pass abort messages on, as far as is known here: its connection has ended, or is
// missing although the peer is a neighbour, or the peer has been silent.
func (p *peer) gone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, over := p.streams[controlStream], p.over || p.losing != nil
	switch {
	case p.left.Load(): // after it had passed on its notice
		return false
	case !l.joined:
		return over || near(p.place.Process, p.t.place.Process)
	}
	return over || l.quiet.Load() || l.finished.Load()
}

// end closes the connections and reports the cause, at its first call. While this process ends, the loss of others is
// not reported. Frames and operations end after the report: ranks that fail because of them would report the wrong
// cause.
func (p *peer) end(cause error) (first bool) {
	first, news := p.finish(cause)
	if !first {
		return false
	}
	if news {
		p.report(cause)
	}
	p.release()
	return true
}

// release gives back the frames and acknowledgements of the peer once. On return they are back, by this goroutine or
// another.
func (p *peer) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.released {
		p.released = true
		p.sent.close()
		p.acks.close()
	}
}

// finish reports whether the peer ends now, and whether the cause must be reported.
func (p *peer) finish(cause error) (first, news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false, false
	}
	p.over = true
	if p.losing != nil {
		p.losing.Stop()
	}
	for _, l := range p.streams {
		l.stop()
	}
	if p.aborted || p.left.Load() && p.t.spread.has() {
		return true, false
	}
	if p.t.down.Load() {
		p.untold = cause
		return true, false
	}
	var lost *netio.LostError
	if errors.As(cause, &lost) {
		p.t.lost.CompareAndSwap(0, int64(p.place.Process)+1)
	}
	return true, true
}

// close ends the peer for good, and returns an unreported cause: the peer was lost, or did not say goodbye in time.
func (p *peer) close() error {
	p.mu.Lock()
	finished, ending := true, p.ending
	for _, l := range p.streams {
		finished = finished && (!l.joined || l.finished.Load())
	}
	p.mu.Unlock()
	switch {
	case !finished:
		p.lose(fmt.Errorf("it did not say goodbye within %v", p.t.config.CloseLimit))
	case ending != nil: // such as a refused dial: frames have waited for it
		p.end(ending)
	default:
		p.end(nil)
	}
	p.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.untold
}
