package fit

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var little = Effort{Repeats: 2, Frames: 50}

// sound checks conditions that hold on any machine.
func sound(t *testing.T, l model.Link, m model.Measured, name string) {
	require.Equal(t, name, m.Transport)
	require.Greater(t, m.Frames, uint64((little.Repeats+1)*len(streamSizes)*little.Frames))
	for _, p := range []float64{l.Latency, l.Overhead, l.Gap, l.PerByte} {
		require.GreaterOrEqual(t, p, 0.0)
		require.Less(t, p, 1.0)
	}
	// The time of a frame of any size is above 0, though its start or its rise may hide behind the other.
	require.Positive(t, l.Message(small))
	require.Positive(t, l.Interval()+small*l.PerByte)
	require.NoError(t, (&model.Parameters{Process: l}).Check())
}

func TestMem(t *testing.T) {
	tr := mem.New(2)
	l, m, ok, err := Link(t.Context(), tr, little)
	require.NoError(t, err)
	require.True(t, ok)
	sound(t, l, m, "mem")
	require.NoError(t, tr.Close())
}

// two returns the transports of two processes.
func two(t *testing.T, name string) []netio.Transport {
	return netiotest.StartAll(t, netiotest.Configs(t, 2, 2), func(_ int, c tcp.Config) (netio.Transport, error) {
		return connect.Dial(t.Context(), c, name)
	})
}

func TestTwoProcesses(t *testing.T) {
	for _, name := range []string{connect.ByTCP, connect.ByShm} {
		t.Run(name, func(t *testing.T) {
			if name == connect.ByShm && runtime.GOOS != "linux" {
				t.Skip("this system has no nameless shared memory")
			}
			all := two(t, name)
			var second sync.WaitGroup
			var mine bool
			var failed error
			second.Go(func() { _, _, mine, failed = Link(t.Context(), all[1], little) })
			l, m, ok, err := Link(t.Context(), all[0], little)
			require.NoError(t, err)
			require.True(t, ok)
			sound(t, l, m, name)
			second.Wait()
			require.NoError(t, failed)
			require.False(t, mine)
			require.NoError(t, netiotest.CloseAll(all))
		})
	}
}

// A frame goes to and fro between two processes, and only that of rank 0 gets the time.
func TestHop(t *testing.T) {
	for _, name := range []string{connect.ByTCP, connect.ByAuto} {
		all, errs := two(t, name), make([]error, 2)
		var seconds [2]float64
		var second sync.WaitGroup
		second.Go(func() { seconds[1], errs[1] = Hop(t.Context(), all[1], 64, 50) })
		seconds[0], errs[0] = Hop(t.Context(), all[0], 64, 50)
		second.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Positive(t, seconds[0])
		require.Zero(t, seconds[1])
		require.NoError(t, netiotest.CloseAll(all))
	}
}

// A frame of unequal length ends a ping-pong.
func TestHopOfUnequalEnds(t *testing.T) {
	all, errs := two(t, connect.ByTCP), make([]error, 2)
	var second sync.WaitGroup
	second.Go(func() { _, errs[1] = Hop(t.Context(), all[1], 64, 50) })
	_, errs[0] = Hop(t.Context(), all[0], 128, 50)
	second.Wait()
	require.ErrorContains(t, errors.Join(errs...), "a frame of 128 bytes has come, not of 64")
	for _, tr := range all {
		_ = tr.Close()
	}
}

// TestLostPeer: if the second process gives up in the middle, the first returns an error, and does not hang.
func TestLostPeer(t *testing.T) {
	all := two(t, connect.ByTCP)
	var second sync.WaitGroup
	second.Go(func() {
		all[1].Start(func(error) {})
		port := all[1].Port(1)
		for port.Recv() == nil { // unanswered
			port.Wait(time.Second)
		}
		all[1].Abort("it was only a test")
		_ = all[1].Close()
	})
	_, _, _, err := Link(t.Context(), all[0], little)
	require.ErrorContains(t, err, "fit: tcp")
	second.Wait()
	_ = all[0].Close()
}

// TestCancelled: the end of a context ends both ends.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	tr := mem.New(2)
	_, _, _, err := Link(ctx, tr, Effort{Repeats: 1 << 20, Frames: 1 << 20})
	require.ErrorIs(t, err, why)
	require.NoError(t, tr.Close())
}

func TestRefuses(t *testing.T) {
	_, _, _, err := Link(t.Context(), mem.New(3), little)
	require.ErrorContains(t, err, "the job has 3")
	_, _, _, err = Link(t.Context(), mem.New(2), Effort{Repeats: 0, Frames: 100})
	require.ErrorContains(t, err, "give at least one repeat")
	_, err = Pebbles(t.Context(), 1, 10)
	require.ErrorContains(t, err, "32768 pebbles")
}

// Repeats go on for the time of the effort.
func TestTimeOfAnEffort(t *testing.T) {
	effort, start := little, time.Now()
	effort.Time = 50 * time.Millisecond
	tr := mem.New(2)
	_, _, ok, err := Link(t.Context(), tr, effort)
	require.NoError(t, err)
	require.True(t, ok)
	require.GreaterOrEqual(t, time.Since(start), effort.Time)
	require.NoError(t, tr.Close())
	effort.Time = -1
	_, _, _, err = Link(t.Context(), mem.New(2), effort)
	require.ErrorContains(t, err, "no time below 0")
}
