package netiotest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// Frame lends a frame of n bytes, with its addresses set.
func Frame(p netio.Port, kind netio.Kind, from, to, n int) *netio.Frame {
	f := p.Pool().Get(n)
	f.Kind, f.From, f.To, f.Bytes = kind, uint32(from), uint32(to), uint32(n)
	return f
}

// Send sends a data frame of n bytes.
func Send(p netio.Port, from, to, n int) { p.Send(Frame(p, netio.Data, from, to, n)) }

// Eventually polls, since it waits for goroutines and processes that report nothing. Its limit is for failures.
func Eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !done(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(limit), "%s: not within %v", what, patience)
	}
}

// Next receives a frame, without a time limit.
func Next(p netio.Port) *netio.Frame { return NextBy(p, func(p netio.Port) { p.Wait(-1) }) }

// NextBy receives a frame, and calls idle while none has arrived.
func NextBy(p netio.Port, idle func(netio.Port)) *netio.Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
		idle(p)
	}
}

// Receive waits for a frame.
func Receive(t testing.TB, p netio.Port) (f *netio.Frame) {
	t.Helper()
	Eventually(t, "receive a frame", func() bool {
		p.Wait(time.Second)
		f = p.Recv()
		return f != nil
	})
	return f
}

// RequireLost requires that an error reports the loss of a process.
func RequireLost(t testing.TB, err error, process int) {
	t.Helper()
	var lost *netio.LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, process, lost.Process)
}
