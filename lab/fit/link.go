package fit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
)

// Effort is the amount of measurement.
type Effort struct {
	Repeats int // least number, for each measurement
	// of a ping-pong, there and back, and of a stream; trades have an eighth, and at least the number that may be in
	// flight
	Frames int
	// Time is the least total time of the repeats. A shared host migrates virtual processors, several times a second
	// here, which makes messages between them cost up to eight times as much. A measurement must cover that.
	Time time.Duration
}

// Standard takes two to three seconds for each transport.
var Standard = Effort{Repeats: 7, Frames: 2000, Time: 2 * time.Second}

func (e Effort) check() error {
	if e.Repeats < 1 || e.Frames < framesMin || e.Time < 0 {
		return fmt.Errorf("fit: %d repeats of %d frames for %v: give at least one repeat, %d frames, and no time "+
			"below 0", e.Repeats, e.Frames, e.Time, framesMin)
	}
	return nil
}

// Sizes of frames, in bytes.
var (
	pingSizes   = []int{64, 256, 1024, 4096, 16384}
	streamSizes = []int{64, 512, 2048, 4096, 8192, 16384, 32768}
	tradeSizes  = []int{64, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}
)

const (
	small      = 64               // bytes of a frame that shows the fixed cost of frames
	inFlight   = 512 << 10        // bytes of a stream: a link's credit
	warmUp     = 64               // frames there and back
	framesMin  = 16               // of an effort
	spinsMax   = 256              // polls before a rank parks
	silenceMax = 10 * time.Second // of the other end, which answers at once
)

// Link measures the link between ranks 0 and 1 of a job of two ranks. The process of rank 0 gets the result; ok is true
// there. Link starts the transport; the caller closes it. All processes of the job call it, with equal efforts. With
// [Standard] it takes two or three seconds. The error names a lost process.
func Link(ctx context.Context, t netio.Transport, effort Effort) (l model.Link, m model.Measured, ok bool, err error) {
	if err := effort.check(); err != nil {
		return l, m, false, err
	}
	var all []samples
	frames := uint64(0)
	err = play(ctx, t, func(e *end) error {
		measured, err := e.measure(effort)
		if e.self == 0 {
			all, frames = measured, e.sent
		}
		return err
	})
	if err != nil || t.Place().First > 0 {
		return l, m, false, err
	}
	l, m = summary(all)
	m.Transport, m.Frames = t.Name(), frames
	return l, m, true, nil
}

// Hop measures a ping-pong between the ranks of a job of two: the time of a frame one way, in seconds, as the mean of
// some rounds there and back. The process of rank 0 gets it. Otherwise it is like [Link].
func Hop(ctx context.Context, t netio.Transport, bytes, rounds int) (seconds float64, err error) {
	err = play(ctx, t, func(e *end) error {
		_, err := e.ping(bytes, min(rounds, warmUp))
		if err != nil {
			return err
		}
		mean, err := e.ping(bytes, rounds)
		if e.self == 0 {
			seconds = mean
		}
		return errors.Join(err, e.room(0))
	})
	return seconds, err
}

// play starts a transport of two ranks, and runs the ends in this process until both have measured.
func play(ctx context.Context, t netio.Transport, measure func(*end) error) error {
	place := t.Place()
	if place.Ranks != 2 {
		return fmt.Errorf("fit: a link is measured between 2 ranks, the job has %d", place.Ranks)
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
	var ends sync.WaitGroup
	errs := make([]error, 2)
	for rank := place.First; rank < place.Last; rank++ {
		e := &end{Port: t.Port(rank), failed: &failed, self: uint32(rank), batches: t.Name() == connect.ByTCP}
		ends.Go(func() {
			if errs[rank] = measure(e); errs[rank] != nil { // so that the other end does not wait
				fail(errs[rank])
			}
		})
	}
	ends.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Abort(err.Error())
		return fmt.Errorf("fit: %s: %w", t.Name(), err)
	}
	return nil
}

// end is one of the two ends of a link under measurement, on its own goroutine. Both ends go through the same steps,
// and the first measures their times.
type end struct {
	netio.Port
	failed   *atomic.Pointer[error] // reported by the transport, or the cause of the context's end
	self     uint32
	batches  bool          // frames share system calls
	sent     uint64        // number of data frames
	deadline time.Duration // of the present wait
	checksum uint64        // of the bytes read, so that the compiler keeps the reads
}

// measure measures until the first end has enough. The size of a frame signals that to the other end.
func (e *end) measure(effort Effort) (all []samples, err error) {
	if _, err := e.ping(small, warmUp); err != nil {
		return nil, err
	}
	for start := e.Now(); ; {
		if e.self == 0 {
			more := small
			if len(all) > effort.Repeats && e.Now()-start >= effort.Time {
				more = 2 * small
			}
			e.send(more)
			if more != small {
				return all[1:], e.room(0) // without the first, whose memory is new
			}
		} else if bytes, err := e.recv(); err != nil || bytes != small {
			return nil, errors.Join(err, e.room(0))
		}
		s, err := e.repeat(effort.Frames)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
}

// repeat measures everything once.
func (e *end) repeat(frames int) (s samples, err error) {
	each := func(sizes []int, one func(bytes int) (float64, error)) (points []point) {
		for _, bytes := range sizes {
			if err == nil {
				var seconds float64
				seconds, err = one(bytes)
				points = append(points, point{float64(bytes), seconds})
			}
		}
		return points
	}
	s.pings = each(pingSizes, func(bytes int) (float64, error) { return e.ping(bytes, frames/len(pingSizes)+1) })
	s.streams = each(streamSizes, func(bytes int) (float64, error) { return e.stream(bytes, frames) })
	s.trades = each(tradeSizes, func(bytes int) (float64, error) {
		return e.trade(bytes, max(frames/8, int(e.tradeBytes()/netio.FrameCost(bytes))), false)
	})
	if e.batches && err == nil {
		s.alone, err = e.trade(small, frames, true)
	}
	return s, err
}

// ping returns the mean one-way time of a frame, over a number of round trips.
func (e *end) ping(bytes, times int) (seconds float64, err error) {
	start := e.Now()
	for range times {
		if e.self == 0 {
			e.send(bytes)
		}
		came, err := e.recv()
		if err == nil && came != bytes {
			err = fmt.Errorf("a frame of %d bytes has come, not of %d", came, bytes)
		}
		if err != nil {
			return 0, err
		}
		if e.self == 1 {
			e.send(bytes)
		}
	}
	return (e.Now() - start).Seconds() / float64(2*times), nil
}

// stream returns the time per frame of a stream. The second end sends one frame back when it has received all.
func (e *end) stream(bytes, frames int) (seconds float64, err error) {
	start := e.Now()
	for range frames {
		if e.self == 1 {
			_, err = e.recv()
		} else if err = e.room(inFlight - netio.FrameCost(bytes)); err == nil {
			e.send(bytes)
		}
		if err != nil {
			return 0, err
		}
	}
	if e.self == 1 {
		e.send(small)
	} else {
		_, err = e.recv()
	}
	return (e.Now() - start).Seconds() / float64(frames), err
}

// trade returns the time of a frame sent and a frame received by an end, while both ends do both at full speed: the
// processor time of frames at both ends, since neither waits. Both ends write and read all words of a frame, as in
// filling buffers and handling pebbles. They send as much as may be in flight, and then receive the frames of the other
// end. With alone they pause after each frame, so that frames leave one by one.
//
// beyond is that time minus the time of writing and reading the frames without sending them, which both ends measure
// afterwards.
func (e *end) trade(bytes, frames int, alone bool) (beyond float64, err error) {
	if _, err := e.ping(small, 1); err != nil { // so that both begin at once
		return 0, err
	}
	start := e.Now()
	sent, taken := 0, 0
	for polls := 0; taken < frames || sent < frames; {
		if err := e.failure(); err != nil {
			return 0, err
		}
		before := sent + taken
		for first := alone || taken >= sent; first && sent < frames && e.roomFor(bytes); first = !alone {
			e.sent++
			e.Send(e.fill(bytes))
			if sent++; alone {
				e.Pause()
			}
		}
		for taken < frames {
			f := e.Recv()
			if f == nil {
				break
			}
			e.read(f)
			taken++
		}
		if sent+taken > before {
			polls = 0
		} else if err := e.idle(&polls); err != nil {
			return 0, err
		}
	}
	seconds := (e.Now() - start).Seconds() / float64(frames)
	if err := e.room(0); err != nil {
		return 0, err
	}
	return seconds - e.touching(bytes, frames), e.failure()
}

// touching returns the time of a frame that is written and read by the same end, among as many frames as a trade has in
// flight: the part of a trade that the link does not cause.
func (e *end) touching(bytes, frames int) (seconds float64) {
	start := e.Now()
	var filled netio.Frames
	for i := 0; (i < frames || !filled.Empty()) && e.failure() == nil; i++ {
		if i >= frames || !e.roomFor(bytes) {
			e.read(filled.Shift())
		}
		if i < frames {
			filled.Push(e.fill(bytes))
		}
	}
	return (e.Now() - start).Seconds() / float64(frames)
}

// tradeBytes returns the number of bytes in flight in a trade: a link's credit. If the kernel copies frames it is eight
// times as much, as for a rank with eight links: those copies must not stay in the caches of a core. Cache misses on a
// rank's own frames are part of the costs of an application's pebbles.
func (e *end) tradeBytes() int64 {
	if e.batches {
		return 8 * inFlight
	}
	return inFlight
}

// roomFor reports whether another frame may be in flight.
func (e *end) roomFor(bytes int) bool {
	most := e.tradeBytes() - netio.FrameCost(bytes)
	return e.Pool().LentAtMost() <= most || e.Pool().Lent() <= most
}

// frame returns a frame from the pool.
func (e *end) frame(bytes int) *netio.Frame {
	f := e.Pool().Get(bytes)
	f.Kind, f.From, f.To, f.Bytes = netio.Data, e.self, 1-e.self, uint32(bytes)
	return f
}

// fill returns a frame with all words written.
func (e *end) fill(bytes int) *netio.Frame {
	f := e.frame(bytes)
	w := words(f)
	for i := range w {
		w[i] = uint64(i)
	}
	return f
}

// read reads all words of a frame, and releases it.
func (e *end) read(f *netio.Frame) {
	for _, w := range words(f) {
		e.checksum += w
	}
	f.Release()
}

// words returns the words of a frame's payload.
func words(f *netio.Frame) []uint64 { return unsafe.Slice((*uint64)(f.Base()), f.Bytes/8) }

const cacheLine = 64

// send sends a frame, after writing to each of its cache lines.
func (e *end) send(bytes int) {
	f := e.frame(bytes)
	payload := f.Payload()
	for i := 0; i < len(payload); i += cacheLine {
		payload[i] = byte(i)
	}
	e.sent++
	e.Send(f)
}

// recv waits for a frame, reads each of its cache lines, and returns its size.
func (e *end) recv() (bytes int, err error) {
	var f *netio.Frame
	if err := e.await(func() bool { f = e.Recv(); return f != nil }); err != nil {
		return 0, err
	}
	payload := f.Payload()
	for i := 0; i < len(payload); i += cacheLine {
		e.checksum += uint64(payload[i])
	}
	f.Release()
	return len(payload), nil
}

// room waits until at most the given number of bytes of frames are in flight.
func (e *end) room(bytes int64) error {
	return e.await(func() bool { return e.Pool().Lent() <= bytes })
}

// await polls until done, as a rank does: it spins for a while and then parks.
func (e *end) await(done func() bool) error {
	err := e.failure()
	for polls := 0; err == nil && !done(); {
		err = e.idle(&polls)
	}
	return err
}

// idle waits a little after a poll without a frame. It counts the polls, and fails if the other end is silent too long.
func (e *end) idle(polls *int) error {
	if *polls++; *polls < spinsMax {
		e.Pause()
		return nil
	}
	if *polls == spinsMax {
		e.deadline = e.Now() + silenceMax
	}
	if err := e.failure(); err != nil {
		return err
	}
	if e.Now() > e.deadline {
		return fmt.Errorf("nothing has come from the other end for %v: try again on a machine that is less busy",
			silenceMax)
	}
	e.Wait(time.Millisecond)
	return nil
}

// failure returns the cause if the measurement has failed. It costs one load.
func (e *end) failure() error {
	if err := e.failed.Load(); err != nil {
		return *err
	}
	return nil
}
