package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// Beside a load, a rank gives its core away in few of its waits: each time, the core is gone for a slice of the scheduler. On
// a quiet machine it does so up to 2,048 times. The load is simulated: a yield comes back when a slice is over.
func TestEffortBesideALoad(t *testing.T) {
	const rounds, slice, polls = 200, 2 * idle.StreakMax, 8
	yields := 0
	yield := func() {
		if yields++; yields <= 2*rounds { // with more, the test has failed and may end
			time.Sleep(slice)
		}
	}
	both, _ := twins(t, 0)
	defer closeBoth(both)
	both[0].ports[0].yield = yield
	p, q := both[0].Port(0), both[1].Port(1)
	waits := effort(p, q, rounds, polls)
	require.LessOrEqual(t, yields, rounds/2)
	require.LessOrEqual(t, waits, 10*rounds)
}

// effort has p send to a partner that is busy with other things, and wait for each frame to come back.
func effort(p, q netio.Port, rounds, polls int) (waits int) {
	for range rounds {
		p.Send(address(p, netio.Data, 0, 1, 1000))
		p.Pause()
		receiveBusy(q).Release() // told by a timer, for q is busy
		for idle := 0; p.Pool().Lent() > 0; idle++ {
			if idle < polls {
				p.Pause()
				continue
			}
			p.Wait(patience)
			waits++
		}
	}
	return waits
}

// receiveBusy is for a rank that never parks nor pauses.
func receiveBusy(p netio.Port) *netio.Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
	}
}
