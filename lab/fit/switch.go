package fit

import (
	"runtime"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

const switches = 1 << 14 // of a measurement

// Switch is what it costs a core to continue with another goroutine, in seconds: two of them yield to each other on one
// processor. It changes GOMAXPROCS while it runs.
func Switch(repeats int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var times []float64
	for range repeats {
		start := time.Now()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for range switches {
					runtime.Gosched()
				}
			})
		}
		both.Wait()
		times = append(times, time.Since(start).Seconds()/(2*switches))
	}
	return lab.Summarize(times).Median
}
