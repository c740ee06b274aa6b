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

// causeDelayMax is the time that the reason of a broken connection may take to arrive: on the peer's other connection,
// or from another process that has it. Only then is the peer itself the cause.
const causeDelayMax = 500 * time.Millisecond

// peer is another process of the job, seen from this one. It ends once, with one cause.
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
	server  server      // of the peer's operations on memory that is exposed here
	silent  atomic.Bool // it will answer nothing any more

	offers map[string]handshake.Offer // by the names of transports; final at the end of the start

	mu     sync.Mutex // guards all below, and calls of the streams
	over   bool
	untold error // its cause, if that was not reported
	losing *time.Timer

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

// hush records that the peer will answer no more operations.
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
	if p.over || p.t.down.Load() {
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

// sayGoodbye gives both streams time until the deadline to flush their frames and to say goodbye.
func (p *peer) sayGoodbye(deadline time.Time) {
	p.mu.Lock()
	for _, l := range p.streams {
		l.limit(deadline)
	}
	p.mu.Unlock()
	for _, l := range p.streams {
		l.send(message(goodbye, ""))
	}
}

// loseLater is called when a connection breaks, or when a frame is sent to a process that has finished. Often that is a
// consequence of another failure, whose report gets a moment to arrive.
func (p *peer) loseLater(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over && p.losing == nil {
		p.losing = time.AfterFunc(causeDelayMax, func() { p.lose(cause) })
	}
}

func (p *peer) lose(cause error) {
	p.end(&netio.LostError{Process: p.place.Process, First: p.place.First, Last: p.place.Last, Cause: cause})
}

// end closes the connections and reports the cause, at its first call. While this process ends, the loss of others is
// not reported. Frames and operations end after the report: a rank that fails because of them would report the wrong
// cause.
func (p *peer) end(cause error) {
	first, news := p.finish(cause)
	if !first {
		return
	}
	if news {
		p.t.config.Log.Error("peer ended", "process", p.place.Process, "error", cause)
		p.t.events.report(cause)
	}
	p.release()
}

// release returns the frames and acknowledgements of the peer. It returns when that is done, by this goroutine or
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
	if p.t.down.Load() {
		p.untold = cause
		return true, false
	}
	return true, true
}

// close ends the peer for good, and returns an unreported cause: the peer was lost, or did not say goodbye in time.
func (p *peer) close() error {
	p.mu.Lock()
	finished := true
	for _, l := range p.streams {
		finished = finished && (!l.joined || l.finished.Load())
	}
	p.mu.Unlock()
	if finished {
		p.end(nil)
	} else {
		p.lose(fmt.Errorf("it did not say goodbye within %v", p.t.config.CloseLimit))
	}
	p.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.untold
}
