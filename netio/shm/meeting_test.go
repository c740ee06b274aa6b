//go:build linux

package shm

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// TestDialsBesideACrowd has others fill the queue of a process's socket for longer than a process may be refused.
func TestDialsBesideACrowd(t *testing.T) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, unix.Bind(fd, &unix.SockaddrUnix{Name: "@"})) // the system chooses a name
	require.NoError(t, unix.Listen(fd, 0))
	bound, err := unix.Getsockname(fd)
	require.NoError(t, err)
	socket := bound.(*unix.SockaddrUnix).Name
	for err == nil {
		var one net.Conn
		if one, err = net.Dial("unix", socket); err == nil {
			defer one.Close()
		}
	}
	require.ErrorIs(t, err, unix.EAGAIN)

	m := &meeting{c: &way.Config{Place: netio.PlaceOf(2, 2, 1)}, failed: make(chan error, 1)}
	contact := &handshake.Contact{Process: 0}
	for range handshake.RefusalsMax + 2 {
		require.True(t, m.dial(context.Background(), contact, socket))
	}
	require.Empty(t, m.failed)
	require.ErrorIs(t, m.last, unix.EAGAIN)
}
