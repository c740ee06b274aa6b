package tcp

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/netio"
)

// muffled is a connection whose far end can fall silent.
type muffled struct {
	net.Conn
	silent *atomic.Bool
}

func (m muffled) Write(b []byte) (int, error) {
	if m.silent.Load() {
		return len(b), nil
	}
	return m.Conn.Write(b)
}

// couple connects two processes of one rank each in memory, so that tests can run in a bubble of false time. silent
// drops the messages of process 1.
func couple(t *testing.T) (both [2]*Transport, told [2]chan error, silent *atomic.Bool) {
	silent = new(atomic.Bool)
	for i := range both {
		c := Config{Place: netio.PlaceOf(2, 2, i)}
		require.ErrorContains(t, c.complete(), "no listener") // it has filled in the defaults
		both[i] = newTransport(c)
		told[i] = make(chan error, 1)
		both[i].Start(func(err error) { told[i] <- err })
	}
	for number := range uint8(streamCount) {
		a, b := net.Pipe()
		require.NoError(t, both[0].peer(1).join(number, a))
		require.NoError(t, both[1].peer(0).join(number, muffled{b, silent}))
	}
	t.Cleanup(func() { closeBoth(both) })
	return both, told, silent
}

func closeBoth(both [2]*Transport) {
	var all sync.WaitGroup
	for _, tr := range both {
		all.Go(func() { tr.Close() })
	}
	all.Wait()
}

func requireLost(t *testing.T, err error, process int) {
	t.Helper()
	var lost *netio.LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, process, lost.Process)
}

func TestHeartbeatsKeepAnIdleJobAlive(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		_, told, _ := couple(t)
		time.Sleep(time.Hour)
		require.Empty(t, told[0])
		require.Empty(t, told[1])
	})
}

func TestSilentPeerIsLost(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		both, told, silent := couple(t)
		time.Sleep(time.Minute)
		silent.Store(true)
		began := time.Now()
		err := <-told[0]
		requireLost(t, err, 1)
		require.ErrorContains(t, err, "it said nothing for 10s")
		limit := both[0].config.SilenceMax
		require.Less(t, time.Since(began), limit+limit/4)
		require.Greater(t, time.Since(began), limit/2)
	})
}

// TestStuckReceiverIsNotLost lets a receiver hold its frames for much longer than the silence limit.
func TestStuckReceiverIsNotLost(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		const count = 500
		both, told, _ := couple(t)
		from, to := both[1].Port(1), both[0].Port(0)
		for range count {
			from.Send(address(from, netio.Data, 1, 0, 32<<10))
		}
		time.Sleep(10 * time.Minute)
		require.EqualValues(t, count*netio.FrameCost(32<<10), from.Pool().Lent(), "nothing has come back")
		require.Empty(t, told[0])
		require.Empty(t, told[1])
		for range count {
			f := to.Recv()
			for ; f == nil; f = to.Recv() {
				to.Wait(-1)
			}
			f.Release()
		}
		for from.Pool().Lent() > 0 {
			from.Wait(-1)
		}
	})
}

// The memory of a process that has left a failed job is not the reason for the failure: operations on it wait until the
// reason is known.
func TestOperationsWaitForTheReason(t *testing.T) {
	for _, failed := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			both, told, _ := couple(t)
			for _, l := range both[0].peer(1).streams {
				f := message(goodbye, "")
				if failed {
					f.Flags = afterFailure
				}
				l.send(f)
			}
			synctest.Wait()
			p := both[1].peer(0)
			require.Equal(t, !failed, p.unreachable())
			time.Sleep(2 * noticeDelayMax)
			require.True(t, p.unreachable())
			if failed {
				require.ErrorContains(t, <-told[1], "the reason has not come")
			}
			require.Empty(t, told[1])
		})
	}
}
