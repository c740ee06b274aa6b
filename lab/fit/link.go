package fit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
)

// Effort says how long to measure.
type Effort struct {
	Repeats int // of everything, at the least
	// of a ping-pong, there and back, and of a stream; trades have an eighth, and at least as many as may be in flight
	Frames int
	// Time is the least time that repeats take together. A shared host migrates virtual processors, several times a
	// second here, which makes messages between them cost up to eight times as much: a measurement must cover that, as
	// a job does.
	Time time.Duration
}

// Standard takes two to three seconds for each transport.
var Standard = Effort{Repeats: 7, Frames: 2000, Time: 2 * time.Second}

func (e Effort) check() error {
	if e.Repeats < 1 || e.Frames < framesMin || e.Time < 0 {
		return fmt.Errorf("fit: %d repeats of %d frames for %v: give at least one repeat, %d frames, and no time "+
			"below 0",
			e.Repeats, e.Frames, e.Time, framesMin)
	}
	return nil
}

var (
	pingSizes   = []int{64, 256, 1024, 4096, 16384}
	streamSizes = []int{64, 512, 2048, 4096, 8192, 16384, 32768}
)

const (
	small     = 64        // bytes of a frame whose own cost is measured
	inFlight  = 512 << 10 // bytes of a stream: a link's credit
	warmUp    = 64        // frames there and back
	framesMin = 16        // of an effort
)

// Link measures the link between ranks 0 and 1 of a job of two ranks. The process of rank 0 gets the result, ok. It
// starts the transport; the caller closes it. All processes of the job call it, with equal efforts. With [Standard] it
// takes two or three seconds. The error says which process is lost.
func Link(ctx context.Context, t netio.Transport, effort Effort) (l model.Link, m model.Measured, ok bool, err error) {
	place := t.Place()
	if err := effort.check(); err != nil {
		return l, m, false, err
	}
	if place.Ranks != 2 {
		return l, m, false, fmt.Errorf("fit: a link is measured between 2 ranks, the job has %d", place.Ranks)
	}
	var failed atomic.Pointer[error]
	fail := func(err error) {
		failed.CompareAndSwap(nil, &err)
		for rank := place.First; rank < place.Last; rank++ {
			t.Port(rank).Wake()
		}
	}
	t.Start(fail)
	unwatch := context.AfterFunc(ctx, func() { fail(context.Cause(ctx)) })
	defer unwatch()
	var all []samples
	var ends sync.WaitGroup
	errs := make([]error, 2)
	for rank := place.First; rank < place.Last; rank++ {
		e := &end{Port: t.Port(rank), failed: &failed, self: uint32(rank), batches: t.Name() == connect.ByTCP}
		ends.Go(func() {
			if rank == 1 {
				errs[1] = e.answer()
			} else {
				all, errs[0] = e.ask(effort)
				m.Frames = e.sent
			}
			if err := errs[rank]; err != nil { // the other end need not wait
				fail(err)
			}
		})
	}
	ends.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Abort(err.Error())
		return l, m, false, fmt.Errorf("fit: %s: %w", t.Name(), err)
	}
	if place.First > 0 {
		return l, m, false, nil
	}
	frames := m.Frames
	l, m = summary(all)
	m.Transport, m.Frames = t.Name(), frames
	return l, m, true, nil
}

// ask is the first end: it measures.
func (e *end) ask(effort Effort) (all []samples, err error) {
	if _, err := e.ping(small, warmUp); err != nil {
		return nil, err
	}
	for start := e.Now(); len(all) <= effort.Repeats || e.Now()-start < effort.Time; {
		s, err := e.repeat(effort.Frames)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	e.send(stop, small)
	return all[1:], e.room(0) // without the first, whose memory is new
}

// repeat measures everything once.
func (e *end) repeat(frames int) (s samples, err error) {
	for _, bytes := range pingSizes {
		seconds, err := e.ping(bytes, frames/len(pingSizes)+1)
		if err != nil {
			return s, err
		}
		s.pings = append(s.pings, point{float64(bytes), seconds})
	}
	for _, bytes := range streamSizes {
		seconds, err := e.stream(bytes, frames)
		if err != nil {
			return s, err
		}
		s.streams = append(s.streams, point{float64(bytes), seconds})
	}
	for _, bytes := range tradeSizes {
		seconds, err := e.trades(bytes, e.tradeFrames(bytes, frames), false)
		if err != nil {
			return s, err
		}
		s.trades = append(s.trades, point{float64(bytes), seconds})
	}
	if e.batches {
		s.alone, err = e.trades(small, frames, true)
	}
	return s, err
}

// ping is the mean one-way time of a frame, over so many round trips.
func (e *end) ping(bytes, times int) (seconds float64, err error) {
	start := e.Now()
	for range times {
		e.send(echo, bytes)
		f, err := e.recv()
		if err != nil {
			return 0, err
		}
		if f.Tag != echo || int(f.Bytes) != bytes {
			return 0, fmt.Errorf("a frame of %d bytes came back as one of %d", bytes, f.Bytes)
		}
		touch(f)
		f.Release()
	}
	return (e.Now() - start).Seconds() / float64(2*times), nil
}

// stream is the time of a frame of a stream.
func (e *end) stream(bytes, frames int) (seconds float64, err error) {
	start := e.Now()
	for range frames {
		if err := e.room(inFlight - netio.FrameCost(bytes)); err != nil {
			return 0, err
		}
		e.send(receive, bytes)
	}
	err = e.count(frames)
	return (e.Now() - start).Seconds() / float64(frames), err
}

// count waits until the other end has received so many frames, and one that asks for their number.
func (e *end) count(frames int) error {
	e.sendWith(report, small, uint64(frames)+1)
	f, err := e.recv()
	if err != nil {
		return err
	}
	defer f.Release()
	if f.Kind != netio.Control || f.Seq != uint64(frames)+1 {
		return fmt.Errorf("of %d frames %d have arrived", frames+1, f.Seq)
	}
	return nil
}
