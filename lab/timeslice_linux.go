package lab

import (
	"runtime"
	"sync"
	"time"
)

const (
	sliceWatch = 50 * time.Millisecond // of a measurement: some tens of slices
	sliceGap   = 50 * time.Microsecond // time that a thread loses to another one, not to an interrupt
)

// TimeSlice returns the time for which a thread keeps a core that another one also wants, in seconds. Two threads poll
// the clock on one core, and note the times that they miss. It returns 0 if they miss none.
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

// slicesOf returns the spans between the gaps that this thread sees during a time.
func slicesOf(while time.Duration, clock func() time.Time) (all []float64) {
	start := clock()
	last, begun, counts := start, start, false // the first span began before
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
