package local

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// TestParkingLosesNoWakeUp hands one frame at a time to a station that waits without limit: a lost wake-up hangs.
func TestParkingLosesNoWakeUp(t *testing.T) {
	const rounds = 20000
	all := NewPorts(netio.PlaceOf(2, 1, 0))
	a, b := all[0], all[1]
	echo := func(from, to *Port) {
		f := from.Recv()
		for ; f == nil; f = from.Recv() {
			from.Wait(-1)
		}
		to.Deliver(f)
	}
	var other sync.WaitGroup
	other.Go(func() {
		for range rounds {
			echo(b, a)
		}
	})
	b.Deliver(a.pool.Get(1))
	for range rounds - 1 {
		echo(a, b)
	}
	other.Wait()
	a.Recv().Release()
	require.Zero(t, a.pool.Lent())
}
