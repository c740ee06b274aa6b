package shm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// requireHome requires that nothing of two processes is in flight between them.
func requireHome(t *testing.T, both []Process) {
	t.Helper()
	netiotest.Eventually(t, "come home", func() bool {
		return both[0].Port(0).Pool().Lent() == 0 && both[1].Port(1).Pool().Lent() == 0
	})
	for _, p := range both {
		for _, q := range p.way.ports {
			require.Zero(t, q.sent.table.Len(), "frames in flight over shared memory")
			require.True(t, q.received.pending.Empty(), "releases that nobody was told of")
		}
	}
}

// TestWhatDetoursIsInFlightOnce requires that a frame without room in the ring goes the other way and is in flight only
// there: contents and places, repeatedly.
func TestWhatDetoursIsInFlightOnce(t *testing.T) {
	both := twins(t)
	p, q := both[0].Port(0), both[1].Port(1)
	for _, bytes := range []int{8, 1000} {
		for range 2 {
			before, detoursBefore := both[0].Crossed()
			n := both[0].RingSlots() + 10
			for range n {
				p.Send(netiotest.Frame(p, netio.Data, 0, 1, bytes))
			}
			crossed, detours := both[0].Crossed()
			require.NotEqual(t, detoursBefore, detours, "the ring has room")
			require.EqualValues(t, crossed-before, both[0].way.ports[0].sent.table.Len(), "frames of %d bytes in flight", bytes)
			for range n {
				netiotest.Receive(t, q).Release()
			}
			requireHome(t, both)
		}
	}
}

// TestFramesThatAreSentOn abandons the frames for a lost process while another rank is still sending one of them on.
// That frame comes home when it has left.
func TestFramesThatAreSentOn(t *testing.T) {
	var s sentFrames
	to := &peer{}
	own, other := &netio.Frame{}, &netio.Frame{}
	_, ok := s.enter(sent{frame: own, to: to})
	require.True(t, ok)
	n, ok := s.enter(sent{frame: other, to: to, leaving: true})
	require.True(t, ok)
	require.Empty(t, s.abandon())
	to.over.Store(true)
	require.Len(t, s.abandon(), 1)
	require.Empty(t, s.abandon())
	s.left(n, own) // a frame that has come home, and whose number is used again
	require.Empty(t, s.abandon())
	s.left(n, other)
	all := s.abandon()
	require.Len(t, all, 1)
	require.Same(t, other, all[0].frame)
}
