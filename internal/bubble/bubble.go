// Package bubble runs tests by a simulated clock, also under the race detector.
package bubble

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

var one sync.Mutex // held by the bubble that runs

// Test is synctest.Test on one processor, one bubble at a time. Under the race detector, Go keeps one thread state for
// all timers of a bubble: if two goroutines receive from timers that are due on two processors at once, the detector
// crashes (go.dev/issue/78156). It finds races from the order of events, so one processor hides none.
func Test(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, f)
}
