package netio_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// TestRunRanksWaitsForGrace: a rank that does not come back after a failure is waited for no longer than the grace;
// before that, it is.
func TestRunRanksWaitsForGrace(t *testing.T) {
	failed, forever := make(chan struct{}), make(chan struct{})
	defer close(forever)
	returned := false
	require.False(t, netio.RunRanks(nil, []func(){
		func() { close(failed); <-forever },
		func() { <-failed; returned = true },
	}, failed, 100*time.Millisecond))
	require.True(t, returned)
	require.True(t, netio.RunRanks(nil, []func(){func() { time.Sleep(10 * time.Millisecond) }, func() {}}, nil, 0))
}
