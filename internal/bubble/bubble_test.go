package bubble_test

import (
	"sync"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/internal/bubble"
)

// TestManyTimers receives from timers of many goroutines at the same times. On several processors, the race detector
// crashes here.
func TestManyTimers(t *testing.T) {
	bubble.Test(t, func(*testing.T) {
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				ticker := time.NewTicker(time.Millisecond)
				defer ticker.Stop()
				for i := range 400 {
					select {
					case <-ticker.C:
					default:
					}
					select {
					case <-time.After(0):
					default:
					}
					if i%3 == 0 {
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		all.Wait()
	})
}
