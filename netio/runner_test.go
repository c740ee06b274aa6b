package netio_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// strander is a transport that may lose ranks.
type strander struct {
	netio.Transport
	stranded chan struct{}
}

func (s strander) Stranded() <-chan struct{} { return s.stranded }

// TestRunRanksLeavesOneBehind: a rank that will not come back is not waited for, but all others are.
func TestRunRanksLeavesOneBehind(t *testing.T) {
	for ranks := 1; ranks <= 3; ranks++ {
		s := strander{stranded: make(chan struct{})}
		failed, forever := make(chan struct{}), make(chan struct{})
		returned := make([]bool, ranks)
		all := []func(){func() {
			close(s.stranded)
			close(failed)
			<-forever
		}}
		for rank := 1; rank < ranks; rank++ {
			all = append(all, func() {
				<-failed
				time.Sleep(10 * time.Millisecond)
				returned[rank] = true
			})
		}
		require.False(t, netio.RunRanks(s, all, failed, time.Hour))
		for rank := 1; rank < ranks; rank++ {
			require.True(t, returned[rank])
		}
		close(forever)
	}
}

// TestRunRanksWaitsUntilItFails: a rank that is thought stuck, and comes back while the job goes on, is waited for.
func TestRunRanksWaitsUntilItFails(t *testing.T) {
	s := strander{stranded: make(chan struct{})}
	require.True(t, netio.RunRanks(s, []func(){func() {
		close(s.stranded)
		time.Sleep(10 * time.Millisecond)
	}, func() {}}, nil, 0))
}
