package netio

import (
	"sync"
	"time"
)

// Runner is implemented by transports that run the ranks of their process themselves, instead of on a goroutine each. A
// simulation runs one rank at a time.
type Runner interface {
	// Run calls the functions, one for each rank of this process, by rank. It returns true when all have returned.
	// After failed is closed, it returns false once no rank of the job has used the transport for the time grace.
	Run(ranks []func(), failed <-chan struct{}, grace time.Duration) bool
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
// when all functions have returned. After failed is closed, it waits at most for grace and then returns false.
func RunRanks(t Transport, ranks []func(), failed <-chan struct{}, grace time.Duration) bool {
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
	return WaitEnd(ended, failed, grace)
}

// WaitEnd waits for ended. After failed is closed, it waits at most for grace. It reports whether ended was closed.
func WaitEnd(ended, failed <-chan struct{}, grace time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-failed:
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
	}
	select {
	case <-ended: // at the same time
		return true
	default:
		return false
	}
}
