//go:build linux

package shm

import (
	"context"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// TestDialsBesideACrowd fills the queue of a process's socket for longer than a process may be refused.
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
	for range handshake.RefusalsMax + 2 {
		again, err := m.dial(context.Background(), 0, socket)
		require.True(t, again)
		require.Error(t, err)
	}
	require.Empty(t, m.failed)
	require.ErrorIs(t, m.last, unix.EAGAIN)
}

// TestBrokenMeetingsPass breaks connections during the exchange of memory, before and after the peer has read
// everything. Neither is a reason to give up: the life line reports the reason.
func TestBrokenMeetingsPass(t *testing.T) {
	open := func() *os.File {
		f, err := os.Open(os.DevNull)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	c := &way.Config{Place: netio.PlaceOf(2, 2, 0)}
	m := &meeting{c: c, w: &Way{memory: open(), event: open(), exposed: open()}, failed: make(chan error, 1)}
	m.open, m.shut = context.WithCancel(t.Context())
	hello := handshake.Hello{Role: handshake.RolePeer, Lane: memoryLane, Ranks: 2, Processes: 2, Process: 1}
	for _, reads := range []bool{true, false} {
		m.last = nil
		mine, theirs := pair(t)
		ended := make(chan struct{})
		go func() {
			m.welcome(mine, hello)
			close(ended)
		}()
		var one [1]byte
		if reads {
			_, err := theirs.Read(one[:])
			require.NoError(t, err)
		} else { // until it has unread data
			raw, err := theirs.SyscallConn()
			require.NoError(t, err)
			require.NoError(t, raw.Read(func(fd uintptr) bool {
				n, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK)
				return err == nil && n == 1
			}))
		}
		theirs.Close()
		<-ended
		require.Empty(t, m.failed)
		require.ErrorContains(t, m.last, "share memory with process 1: take its memory")
	}
	mine, theirs := pair(t)
	hello.Ranks = 3
	m.welcome(mine, hello)
	theirs.Close()
	require.ErrorContains(t, <-m.failed, "it was started for 3 ranks in 2 processes, this one for 2 in 2")
}

// pair returns both ends of a connection.
func pair(t *testing.T) (mine, theirs *net.UnixConn) {
	l, err := net.Listen("unix", "@")
	require.NoError(t, err)
	defer l.Close()
	one, err := net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	other, err := l.Accept()
	require.NoError(t, err)
	return other.(*net.UnixConn), one.(*net.UnixConn)
}
