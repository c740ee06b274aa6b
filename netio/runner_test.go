package netio_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/netio"
)

// TestRunRanksWaitsForGrace requires that RunRanks waits for a rank without limit before a failure, and no longer than
// the grace after it.
func TestRunRanksWaitsForGrace(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		failed, forever := make(chan struct{}), make(chan struct{})
		defer close(forever)
		const grace = 2 * time.Second
		returned, began := false, time.Now()
		require.False(t, netio.RunRanks(nil, []func(){
			func() { close(failed); <-forever },
			func() { <-failed; time.Sleep(grace / 2); returned = true },
		}, failed, netio.Grace{Time: grace}))
		synctest.Wait()
		require.True(t, returned)
		require.Equal(t, grace, time.Since(began))
		require.True(t, netio.RunRanks(nil, []func(){func() { time.Sleep(time.Hour) }, func() {}}, nil, netio.Grace{}))
	})
}

// TestProgressExtendsTheGrace requires that RunRanks waits on while ranks progress, and no longer than the grace after
// that.
func TestProgressExtendsTheGrace(t *testing.T) {
	for _, returns := range []bool{true, false} {
		bubble.Test(t, func(t *testing.T) {
			failed, forever := make(chan struct{}), make(chan struct{})
			defer close(forever)
			const grace, steps = 2 * time.Second, 10
			var progress atomic.Uint64
			began := time.Now()
			require.Equal(t, returns, netio.RunRanks(nil, []func(){func() {
				close(failed)
				for range steps {
					time.Sleep(grace * 3 / 4)
					progress.Add(1)
				}
				if !returns {
					<-forever
				}
			}}, failed, netio.Grace{Time: grace, Progress: progress.Load}))
			if returns {
				require.Equal(t, steps*grace*3/4, time.Since(began))
			} else {
				require.Equal(t, 9*grace, time.Since(began)) // the eighth saw progress, after 15 s
			}
		})
	}
}
