package netio

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// row pauses until the row ends, or so many times, and tells how often.
func (v *vain) row(most int, each time.Duration) (pauses int) {
	for ; pauses < most && !v.long(); pauses++ {
		time.Sleep(each)
		v.pauses++
	}
	v.end()
	return pauses
}

// A row of quick pauses ends when its owner wants. One of pauses that each take a slice of the scheduler ends after two, and the next
// rows at once: more of them each time, but never for good.
func TestRowsOfPausesEndByTheirLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slice = vainMax * 3 / 4
		var v vain
		skipped := func() (n int) {
			for ; v.skip > 0; n++ {
				require.Zero(t, v.row(2048, slice))
			}
			return n
		}
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
		require.Zero(t, skipped())
		for _, n := range []int{8, 16, 32, 64, 64} {
			require.Equal(t, 2, v.row(2048, slice))
			require.Equal(t, n, skipped())
		}
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
		require.Zero(t, skipped())
		require.Equal(t, 1, v.row(1, 2*vainMax), "something came, but late")
		require.Equal(t, 8, skipped())
		require.Equal(t, 2048, v.row(2048, time.Microsecond))
	})
}

// What comes back while a rank pauses ends its Wait within a few pauses: what another process tells, and what this one gives back.
func TestWaitSeesWhatComesBack(t *testing.T) {
	for name, crowd := range map[string]int{"own core": 1, "shared cores": 1000} {
		for _, released := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, released there %v", name, released), func(t *testing.T) {
				const when = 3 // pauses in vain before it comes
				both := shmTwins(t)
				p, q := both[0].ports[0], both[1].ports[0]
				f := address(p, Data, 0, 1, 1000)
				back := func() { f.Release() } // as the reader of an acknowledgement does
				if released {
					p.Send(f)
					got := receive(t, q)
					back = func() { got.Release(); q.tell() }
				}
				both[0].pace = paceOf(1, crowd)
				both[0].pace.processes = 1
				pauses := 0
				both[0].pace.yield = func() {
					if pauses++; pauses == when {
						back()
					}
				}
				p.patience = both[0].pace.most
				p.Wait(patience)
				require.Zero(t, p.pool.Lent())
				require.LessOrEqual(t, pauses, when+both[0].pace.room)
			})
		}
	}
}

// Releases of data frames are told within a millisecond or so although a control frame was released before, and their rank is busy.
func TestReleasesBehindAControlFrameAreTold(t *testing.T) {
	both := shmTwins(t)
	p, q := both[0].ports[0], both[1].ports[0]
	p.Send(address(p, Control, 0, 1, 8))
	p.Send(address(p, Data, 0, 1, 8))
	first, second := receive(t, q), receive(t, q)
	require.Equal(t, Control, first.Kind)
	first.Release()
	second.Release()
	require.True(t, q.guests.armed.Load() || q.guests.released.empty(), "nobody will tell")
	eventually(t, "tell", func() bool { return p.pool.Lent() == 0 })
}

// Beside a load, a rank gives its core away in few of its waits: each time, the core is gone for a slice of the scheduler. On
// a quiet machine it does so up to 2,048 times. The load is simulated: a yield comes back when a slice is over.
func TestEffortBesideALoad(t *testing.T) {
	const rounds, slice, spins = 200, 2 * vainMax, 8
	for _, by := range []string{ByShm, ByTCP} {
		t.Run(by, func(t *testing.T) {
			yields := 0
			yield := func() {
				if yields++; yields <= 2*rounds { // with more, the test has failed and may end
					time.Sleep(slice)
				}
			}
			var p, q Port
			if by == ByShm {
				both := shmTwins(t)
				both[0].pace = paceOf(1, 1000)
				both[0].pace.yield = yield
				both[0].ports[0].patience = both[0].pace.most
				p, q = both[0].ports[0], both[1].ports[0]
			} else {
				both, _ := twins(t, 0)
				defer closeBoth(both)
				both[0].ports[0].yield = yield
				p, q = both[0].Port(0), both[1].Port(1)
			}
			waits := 0
			for range rounds {
				p.Send(address(p, Data, 0, 1, 1000))
				p.Pause()
				receiveBusy(q).Release() // told by a timer, for q is busy with other things
				for idle := 0; p.Pool().Lent() > 0; idle++ {
					if idle < spins {
						p.Pause()
						continue
					}
					p.Wait(patience)
					waits++
				}
			}
			require.LessOrEqual(t, yields, rounds/2)
			require.LessOrEqual(t, waits, 10*rounds)
		})
	}
}

// receiveBusy is for a rank that never parks nor pauses.
func receiveBusy(p Port) *Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
	}
}
