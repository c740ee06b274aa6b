package lab

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	probeTrips   = 200 // round trips of a batch, about 10 µs
	probeBatches = 64
	probeTime    = 50 * time.Millisecond // limit for all batches
)

// Probe measures the round trip of a cache line between the first two cores that this process may use. Two threads,
// bound to them if the system can (Linux), add to a word in turn. It returns the shortest of many batches, which other
// programs on the machine hardly change, or 0 with one core. It takes about 2 ms, and 50 ms on a crowded machine.
func Probe() time.Duration {
	first, second, ok := twoCores()
	if !ok {
		return 0
	}
	var turn word
	var partner sync.WaitGroup
	partner.Go(func() {
		runtime.LockOSThread() // never unlocked: the thread and its binding end with its goroutine
		bind(second)
		turn.answer()
	})
	var trips []time.Duration
	var asker sync.WaitGroup
	asker.Go(func() {
		runtime.LockOSThread()
		bind(first)
		trips = turn.ask()
	})
	asker.Wait()
	partner.Wait()
	return slices.Min(trips)
}

// word is the word that the threads add to in turn, on its own cache line. Even numbers are the asker's turn. A
// negative number ends the turns.
type word struct {
	_ [128]byte
	n atomic.Int64
	_ [128]byte
}

func (w *word) ask() (trips []time.Duration) {
	began := time.Now()
	next := int64(0)
	w.trips(&next, 1) // wait for the partner's start
	for len(trips) < probeBatches && (len(trips) == 0 || time.Since(began) < probeTime) {
		start := time.Now()
		w.trips(&next, probeTrips)
		trips = append(trips, time.Since(start)/probeTrips)
	}
	w.n.Store(-1)
	return trips
}

func (w *word) trips(next *int64, count int) {
	for range count {
		w.n.Store(*next + 1)
		*next += 2
		for w.n.Load() != *next {
		}
	}
}

func (w *word) answer() {
	for {
		n := w.n.Load()
		if n < 0 {
			return
		}
		if n%2 == 1 {
			w.n.Store(n + 1)
		}
	}
}
