package tcp

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// polled is the part of a stream whose socket never blocks. A goroutine, mostly a rank, writes and reads at once, and
// wakes no other one. If the socket does not take all bytes, the goroutine that next finds it ready writes the rest.
//
// Data frames wait, so that several are written together. Their rank writes them when it has nothing else to do or when
// many bytes wait; a delayed flush writes them if the rank is busy for long.
//
// Errors are reported after the locks are released, since an error ends the peer, which takes the locks.
type polled struct {
	polling atomic.Bool  // set when the stream has its socket
	delayed atomic.Bool  // a flush will follow
	waiting atomic.Int64 // bytes put since the last flush began
	stalled atomic.Bool  // the socket has no room at the moment; changed while writing
	said    atomic.Uint64
	heard   atomic.Uint64 // numbers of writes and of reads
	beat    beat          // the pulse's own

	writing    sync.Mutex
	writer     writer
	writeEnded bool

	reading   sync.Mutex
	reader    reader
	readEnded bool

	socket socket // changed under both locks; nil before attach and after hangUp
}

// delayBytesMax is the maximum number of waiting bytes. Large writes cost the kernel less per byte.
const delayBytesMax = 64 << 10

// attach gives the stream its socket.
func (l *stream) attach(s socket) error {
	l.peer.t.running.Add(2) // the end of reading, and of writing
	l.both(func() {
		l.socket, l.reader, l.writer = s, newReader(l), newWriter(l)
	})
	l.polling.Store(true)
	return s.wantRead(true)
}

func (l *stream) both(f func()) {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.writing.Lock()
	defer l.writing.Unlock()
	f()
}

// send queues a frame, and reports whether the caller must flush soon, when it has nothing else to do.
func (l *stream) send(f *netio.Frame) (unsent bool) {
	later, bytes := f.Kind == netio.Data, frame.WireHeader+int64(f.Bytes)
	l.out.push(f) // wakes the writer of a stream that is served
	if !l.polling.Load() {
		if !l.up.Load() {
			l.peer.t.connector.want(l)
		}
		return false
	}
	if later && l.waiting.Add(bytes) < delayBytesMax {
		l.delayed.Store(true)
		l.peer.t.delayed.Arm()
		return true
	}
	l.flush()
	return false
}

// sendLater queues a frame, which is written within about a millisecond. A holder of a stream's lock may call it.
func (l *stream) sendLater(f *netio.Frame) {
	l.out.push(f)
	if l.polling.Load() {
		l.delayed.Store(true)
		l.peer.t.delayed.Arm()
	}
}

// hasNews reports whether a flush would write frames.
func (l *stream) hasNews() bool {
	return !l.out.queue.Empty() && !l.out.closed.Load() && !l.stalled.Load()
}

// flush writes the waiting frames, unless the socket is full or another goroutine writes, which looks again afterwards.
func (l *stream) flush() {
	l.delayed.Store(false)
	l.waiting.Store(0)
	for !l.out.closed.Load() && !l.stalled.Load() && !l.idle() && l.writing.TryLock() {
		ended, err := l.advance()
		l.writing.Unlock()
		if ended {
			l.endWriting(err)
		}
	}
}

// writable continues with bytes that the socket did not take.
func (l *stream) writable() {
	l.writing.Lock()
	var ended bool
	var err error
	if l.stalled.Swap(false) {
		ended, err = l.advance()
	}
	l.writing.Unlock()
	if ended {
		l.endWriting(err)
	}
	l.flush()
}

// advance writes, and reports whether that was the end. The caller holds writing.
func (l *stream) advance() (ended bool, err error) {
	if l.writeEnded || l.socket == nil {
		return false, nil
	}
	last, err := l.writer.advance(l.socket)
	l.said.Add(1)
	again := errors.Is(err, errAgain)
	l.stalled.Store(again) // also false: a flush may have looked before another goroutine found the socket full
	if again {
		err = nil
	}
	if wanted := l.socket.wantWrite(again); err == nil && wanted != nil {
		err = l.writer.excuse(wanted)
	}
	if !last && err == nil {
		return false, nil
	}
	l.writeEnded = true
	l.writer.drop()
	l.out.closed.Store(true)
	return true, err
}

func (l *stream) endWriting(err error) {
	l.wrote(err)
	l.peer.t.running.Done()
}

// readable reads the bytes that have arrived, unless another goroutine does, and reports whether it read any.
func (l *stream) readable() (came bool) {
	if !l.reading.TryLock() {
		return false
	}
	heard := l.heard.Load()
	ended, err := l.readOnce()
	came = l.heard.Load() != heard
	answered := l.reader.answered
	l.reader.answered = false
	l.reading.Unlock()
	if answered {
		l.flush()
	}
	if ended {
		l.read(err)
		l.peer.t.running.Done()
	}
	return came
}

// readsMax bounds the further reads in one look at a socket, each after a read that filled its buffers.
const readsMax = 8

// readOnce reads the bytes that have arrived, and reports whether that was the end. The caller holds reading.
func (l *stream) readOnce() (ended bool, err error) {
	if l.readEnded || l.socket == nil {
		return false, nil
	}
	for reads := 0; ; reads++ {
		err = l.reader.step(l.socket)
		if errors.Is(err, errAgain) {
			return false, nil
		}
		l.heard.Add(1)
		if err != nil || l.reader.over || !l.reader.full || reads == readsMax {
			break
		}
	}
	if err == nil && !l.reader.over {
		return false, nil
	}
	l.readEnded = true
	l.reader.drop()
	if wanted := l.socket.wantRead(false); err == nil {
		err = wanted
	}
	return true, err
}

// hangUp closes the socket. A holder of a stream's lock must not call it.
func (l *stream) hangUp() {
	l.both(func() {
		if l.socket == nil {
			return
		}
		l.socket.close()
		l.socket = nil
		l.out.closed.Store(true)
		l.writer.drop()
		l.reader.drop()
		if !l.writeEnded {
			l.writeEnded = true
			l.peer.t.running.Done()
		}
		if !l.readEnded {
			l.readEnded = true
			l.peer.t.running.Done()
		}
	})
}
