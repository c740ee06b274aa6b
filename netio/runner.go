package netio

import (
	"sync"
	"time"
)

// Runner is what a transport offers besides when it runs the ranks of its process itself, in place of a goroutine for
// each: a simulation, which lets one rank run at a time.
type Runner interface {
	// Run calls the functions, one for each rank of this process, by rank, and returns when all have returned; or, once
	// failed is closed, when no rank of the job has come back to the transport for as long as grace. It reports whether
	// all have returned.
	Run(ranks []func(), failed <-chan struct{}, grace time.Duration) bool
	// Looks is after how many looks that found nothing a rank should park, where nothing but an arrival can change
	// that.
	Looks() int
	// Memory is how many bytes the pebbles of this process may take when nobody says otherwise: the same in every run.
	Memory() int64
}

// Work is what a rank has done since it began, in pebbles, for a [Meter].
type Work struct {
	Sent    uint64 // from the main function and from handlers
	Handled uint64
	Passed  uint64 // on to another rank, at a hop
}

// Meter is what a port offers besides when work takes simulated time. It is told once how to learn what its rank has
// done.
type Meter interface {
	Meter(done func() Work)
	// Compute lets time pass, as for a computation of that length.
	Compute(d time.Duration)
}

// Counting is what a transport offers besides when it says where the counts of its job begin, which wrap: of data
// frames, epochs and collectives. A simulation lets them begin next to a wrap. All processes of a job say the same;
// elsewhere they begin at 0.
type Counting interface{ CountFrom() uint64 }

// RunRanks runs the ranks of a process: each on a goroutine of its own, unless the transport is a [Runner]. It returns
// when all functions have returned, or, once failed is closed, at most grace later. It reports whether all have
// returned.
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

// WaitEnd waits for ended, or, once failed is closed, for at most grace longer. It reports whether ended came.
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
