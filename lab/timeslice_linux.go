package lab

import (
	"runtime"
	"sync"
	"time"
)

const (
	sliceWatch = 50 * time.Millisecond // of a measurement: some tens of slices
	sliceGap   = 50 * time.Microsecond // that a thread misses when another one had its core, and not just an interrupt
)

// TimeSlice is for how long a thread has a core that another one wants as well, in seconds: two threads look at the
// clock on one core, and note when they could not. It is 0 where that did not happen.
func TimeSlice(repeats int) float64 {
	var slices []float64
	var mu sync.Mutex
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends, and its binding with it
			bindToFirst()
			for range repeats {
				s := slicesOf(sliceWatch, time.Now)
				mu.Lock()
				slices = append(slices, s...)
				mu.Unlock()
			}
		})
	}
	both.Wait()
	if len(slices) == 0 {
		return 0
	}
	return median(slices)
}

// slicesOf are the spans between the gaps that this thread sees in a while.
func slicesOf(while time.Duration, clock func() time.Time) (all []float64) {
	start := clock()
	last, begun, counts := start, start, false // the first one began before
	for last.Sub(start) < while {
		now := clock()
		if now.Sub(last) > sliceGap {
			if counts {
				all = append(all, last.Sub(begun).Seconds())
			}
			begun, counts = now, true
		}
		last = now
	}
	return all
}
