package netio

import (
	"sync"
	"time"
)

// Runner is implemented by transports that run the ranks of their process themselves, instead of on a goroutine each. A
// simulation runs one rank at a time.
type Runner interface {
	// Run calls the functions, one for each rank of this process, by rank. It returns true when all have returned.
	// After failed is closed, it returns false at the end of the grace, in which ranks that use the transport progress.
	Run(ranks []func(), failed <-chan struct{}, grace Grace) bool
	// Looks returns the number of fruitless looks after which a rank should park if only an arrival can give it work.
	Looks() int
	// Memory returns the default limit for the pebbles of this process, in bytes. It is the same in every run.
	Memory() int64
}

// Work counts the pebbles of a rank since its start, for a [Meter].
type Work struct {
	Sent    uint64 // from the main function and from handlers
	Handled uint64
	Passed  uint64 // forwarded to another rank, at a hop
}

// Meter is implemented by ports that charge simulated time for work.
type Meter interface {
	Meter(done func() Work)
	// Compute lets time pass, like a computation of that length.
	Compute(d time.Duration)
}

// Counting is implemented by transports that set the first number of data frames, epochs and collectives, all of which
// may wrap. A simulation starts just below a wrap. All processes return the same number, which is 0 without Counting.
type Counting interface{ CountFrom() uint64 }

// RunRanks runs the ranks of a process, each on its own goroutine, unless the transport is a [Runner]. It returns true
// when all functions have returned. After failed is closed, it returns false at the end of the grace.
func RunRanks(t Transport, ranks []func(), failed <-chan struct{}, grace Grace) bool {
	if r, ok := t.(Runner); ok {
		return r.Run(ranks, failed, grace)
	}
	var running sync.WaitGroup
	for _, run := range ranks {
		running.Go(run)
	}
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	return grace.Await(ended, failed)
}

// Grace is the time for ranks to return after their job has failed. It ends when they made no progress for so long.
type Grace struct {
	Time     time.Duration
	Progress func() uint64 // a number that changes with progress; nil if it is unknown
}

// Await waits for ended and, once failed is closed, for no longer than the grace. It reports whether ended was closed.
func (g Grace) Await(ended, failed <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-failed:
	}
	for before := g.progress(); !closedWithin(ended, g.Time); {
		now := g.progress()
		if now == before {
			return false
		}
		before = now
	}
	return true
}

func (g Grace) progress() uint64 {
	if g.Progress == nil {
		return 0
	}
	return g.Progress()
}

// closedWithin reports whether ended is closed within this time, its last moment included.
func closedWithin(ended <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
	}
	select {
	case <-ended:
		return true
	default:
		return false
	}
}
