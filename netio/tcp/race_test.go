package tcp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// meeting is a socket whose writer meets others: a function runs when the writer has found nothing more to write and
// holds the stream, where a frame that comes now could be left behind.
type meeting struct {
	socket
	then func()
}

func (m *meeting) wantWrite(want bool) error {
	if then := m.then; then != nil {
		m.then = nil
		then()
	}
	return m.socket.wantWrite(want)
}

// A frame leaves although it is sent while another goroutine writes, and has looked for frames: that one flushes, or
// goes on when the socket takes more.
func TestFramesSentWhileAnotherWritesLeave(t *testing.T) {
	for name, write := range map[string]func(l *stream){"flush": (*stream).flush, "writable": (*stream).writable} {
		t.Run(name, func(t *testing.T) {
			both, _ := twins(t, time.Hour) // no heartbeat takes it along
			defer closeBoth(both)
			p, q := both[0].Port(0), both[1].Port(1)
			l := both[0].peer(1).streams[controlStream]
			for range 2 { // twice in a row
				called := false
				l.both(func() {
					l.socket = &meeting{l.socket, func() {
						called = true
						l.send(address(p, netio.Control, 0, 1, 100))
					}}
				})
				l.out.push(address(p, netio.Control, 0, 1, 8))
				l.stalled.Store(name == "writable")
				write(l)
				require.True(t, called)
				require.True(t, l.out.queue.Empty(), "a frame is left behind")
				receive(t, q).Release()
				receive(t, q).Release()
				l.both(func() { l.socket = l.socket.(*meeting).socket })
			}
		})
	}
}
