package shm

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// TestNoWakeUpIsLostBeforeParkingOverSharedMemory repeats the test of netio/mem over shared memory, where a rank
// announces twice that it parks: to other processes, and to its own. The event comes before the first announcement,
// between the last look after it and the second one, or before the second one.
func TestNoWakeUpIsLostBeforeParkingOverSharedMemory(t *testing.T) {
	for name, make := range map[string]func(both []Process) func(){
		"frame": func(both []Process) func() {
			q := both[1].Port(1)
			return func() { q.Send(netiotest.Frame(q, netio.Data, 1, 0, 1000)) }
		},
		"release": func(both []Process) func() {
			p, q := both[0].Port(0), both[1].Port(1)
			p.Send(netiotest.Frame(p, netio.Data, 0, 1, 1000))
			f := netiotest.Receive(t, q)
			return func() { f.Release(); both[1].way.ports[0].tellReleases() }
		},
		"frame by the other way": func(both []Process) func() {
			p, own := both[0].Port(0), both[0].Under(access).Ports()[0]
			return func() { own.Deliver(netiotest.Frame(p, netio.Data, 1, 0, 1000)) }
		},
		"end of a peer": func(both []Process) func() { return func() { both[0].way.Unlink(1); both[0].Port(0).Wake() } },
		"call":          func(both []Process) func() { return both[0].Port(0).Wake },
	} {
		for announcements := range 3 {
			t.Run(name, func(t *testing.T) {
				both := twins(t)
				p := both[0].Port(0)
				event := make(both)
				called := false
				both[0].way.ports[0].parking.Once(announcements, func() { event(); called = true })
				begin := time.Now()
				p.Wait(sleepMost)
				require.True(t, called)
				require.Less(t, time.Since(begin), sleepMost, "slept although it came")
			})
		}
	}
}

// TestReleasesBehindAControlFrameAreTold requires that releases of data frames are reported within about a millisecond
// although a control frame was released before, and their rank is busy.
func TestReleasesBehindAControlFrameAreTold(t *testing.T) {
	both := twins(t)
	p, q := both[0].Port(0), both[1].Port(1)
	p.Send(netiotest.Frame(p, netio.Control, 0, 1, 8))
	p.Send(netiotest.Frame(p, netio.Data, 0, 1, 8))
	first, second := netiotest.Receive(t, q), netiotest.Receive(t, q)
	require.Equal(t, netio.Control, first.Kind)
	first.Release()
	second.Release()
	told := &both[1].way.ports[0].received
	require.True(t, told.late.Armed() || told.pending.Empty(), "nobody will tell")
	netiotest.Eventually(t, "tell", func() bool { return p.Pool().Lent() == 0 })
}

const (
	patience  = 30 * time.Second
	sleepMost = 10 * time.Second // of a rank that nobody wakes
)

// twins connects two processes of one rank each that share memory.
func twins(t *testing.T) []Process {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no nameless shared memory")
	}
	dial := func(_ int, c tcp.Config) (Process, error) { return Dial(t.Context(), c) }
	both := netiotest.StartAll(t, netiotest.Configs(t, 2, 2), dial)
	for _, tr := range both {
		tr.Start(func(error) {})
	}
	t.Cleanup(func() { _ = netiotest.CloseAll(both) })
	return both
}

// TestTurnsWrap goes around rings while their turns wrap to zero. Each entry is seen once, after it was put.
func TestTurnsWrap(t *testing.T) {
	t.Run("releases", func(t *testing.T) {
		r := releases{entries: make([]atomic.Uint64, inflight.SharedMax), header: &local.RingHeader{}}
		first := uint64(1<<(64-turnShift)-2) * inflight.SharedMax
		r.header.Released.Store(first)
		for seq := first; seq < first+4*inflight.SharedMax; seq++ {
			_, _, ok := r.next(seq)
			require.False(t, ok)
			require.Equal(t, seq, r.reserve(1))
			r.publish(seq, int(seq)%1000, frame.Number(seq%inflight.SharedMax))
			process, number, ok := r.next(seq)
			require.True(t, ok)
			require.Equal(t, int(seq)%1000, process)
			require.EqualValues(t, seq%inflight.SharedMax, number)
		}
	})
	t.Run("ring", func(t *testing.T) {
		r := local.Ring{Slots: make([]local.Slot, slotsMin), Header: &local.RingHeader{}}
		first := uint64(1<<32-2) * slotsMin
		r.Header.Tail.Store(first)
		r.Header.Head.Store(first)
		var seen atomic.Uint64
		seen.Store(first)
		for seq := first; seq < first+4*slotsMin; {
			require.False(t, r.Filled(seq))
			drawn, ok := r.Reserve(&seen)
			require.True(t, ok)
			require.Equal(t, seq, drawn)
			r.Publish(r.At(drawn), drawn)
			require.True(t, r.Filled(seq))
			seq = r.Advance(seq)
		}
	})
}
