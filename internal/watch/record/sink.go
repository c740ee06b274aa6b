package record

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// queueMax bounds the batches that wait for the disk.
const queueMax = 4

// batch is a set of lines that are written together.
type batch struct {
	lines []byte
	done  chan struct{} // if not nil, closed after the write or its failure
}

// store writes batches. It is for one goroutine.
type store interface {
	write(lines []byte) error
	io.Closer
}

// sink passes batches to a goroutine that writes them, so that callers do not wait for the disk.
type sink struct {
	queue chan batch
	done  chan struct{} // closed when the goroutine has ended

	mu   sync.Mutex
	lost uint64 // failed batches since the last look
	why  error  // last reason
}

func newSink(to store) *sink {
	s := &sink{queue: make(chan batch, queueMax), done: make(chan struct{})}
	go s.run(to)
	return s
}

func (s *sink) run(to store) {
	defer close(s.done)
	for b := range s.queue {
		s.note(to.write(b.lines))
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

// look returns the number of failed batches since the last look, and the last error.
func (s *sink) look() (lost uint64, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost, s.lost = s.lost, 0
	return lost, s.why
}

// full reports whether a batch would have to wait. The result is reliable for the goroutine that offers batches.
func (s *sink) full() bool { return len(s.queue) == cap(s.queue) }

// offer queues a batch. It reports false, and does nothing, if the queue is full.
func (s *sink) offer(b batch) bool {
	select {
	case s.queue <- b:
		return true
	default:
		return false
	}
}

// await queues a batch and waits until it is written, for at most the given time.
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

// close waits until all batches are written, for at most the given time. The goroutine ends when the disk answers.
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
