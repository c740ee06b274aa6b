package netio_test

import (
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
		}, failed, grace))
		synctest.Wait()
		require.True(t, returned)
		require.Equal(t, grace, time.Since(began))
		require.True(t, netio.RunRanks(nil, []func(){func() { time.Sleep(time.Hour) }, func() {}}, nil, 0))
	})
}
