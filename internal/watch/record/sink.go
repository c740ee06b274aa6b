package record

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// queueMax is how many batches may wait for the disk.
const queueMax = 4

// batch is lines that are written together.
type batch struct {
	lines []byte
	fresh bool          // they begin a new segment
	done  chan struct{} // if not nil, it is closed when they have been written, or could not be
}

// store is where batches go. One goroutine uses it.
type store interface {
	write(lines []byte, fresh bool) error
	io.Closer
}

// sink passes batches to a goroutine that writes them, so that no caller waits for a disk.
type sink struct {
	queue chan batch
	done  chan struct{} // the goroutine has ended

	mu   sync.Mutex
	lost uint64 // batches that could not be written since the last look
	why  error  // the last reason
}

func newSink(to store) *sink {
	s := &sink{queue: make(chan batch, queueMax), done: make(chan struct{})}
	go s.run(to)
	return s
}

func (s *sink) run(to store) {
	defer close(s.done)
	for b := range s.queue {
		s.note(to.write(b.lines, b.fresh))
		if b.done != nil {
			close(b.done)
		}
	}
	s.note(to.Close())
}

func (s *sink) note(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost++
	s.why = err
}

// look is how many batches could not be written since the last look, and why.
func (s *sink) look() (lost uint64, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost, s.lost = s.lost, 0
	return lost, s.why
}

// full reports whether a batch would have to wait. Only the goroutine that offers batches may rely on it.
func (s *sink) full() bool { return len(s.queue) == cap(s.queue) }

// offer hands a batch over, unless that would have to wait.
func (s *sink) offer(b batch) bool {
	select {
	case s.queue <- b:
		return true
	default:
		return false
	}
}

// await hands a batch over and waits until it has been written, both for at most this long.
func (s *sink) await(lines []byte, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	b := batch{lines: lines, done: make(chan struct{})}
	select {
	case s.queue <- b:
	case <-timer.C:
		return slow(most)
	}
	select {
	case <-b.done:
		return nil
	case <-timer.C:
		return slow(most)
	}
}

// close waits for at most this long until all has been written. The goroutine ends when the disk has answered.
func (s *sink) close(most time.Duration) error {
	close(s.queue)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-s.done:
		return nil
	case <-timer.C:
		return slow(most)
	}
}

func slow(most time.Duration) error {
	return fmt.Errorf("the record's disk has not answered for %v: its end may be missing", most)
}
