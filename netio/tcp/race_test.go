package tcp

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// meeting is a socket whose writer meets others: a function runs when it has found nothing more to write and holds the
// stream still, where a frame that comes now could be left behind.
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

// A frame leaves that is sent while another one writes, and has looked for frames: whether that one flushes, or goes on
// when the socket takes more.
func TestFramesSentWhileAnotherWritesLeave(t *testing.T) {
	for name, write := range map[string]func(l *stream){"flush": (*stream).flush, "writable": (*stream).writable} {
		t.Run(name, func(t *testing.T) {
			both, _ := twins(t, time.Hour) // no heartbeat takes it along
			defer closeBoth(both)
			p, q := both[0].Port(0), both[1].Port(1)
			l := both[0].peers[1].streams[controlStream]
			for range 2 { // once and again
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

// sip is a carrier that takes so many bytes at a time.
type sip struct {
	carrier
	each int
	took []byte
}

func (s *sip) write(pieces [][]byte) (int, error) {
	all := slices.Concat(pieces...)
	n := min(s.each, len(all))
	s.took = append(s.took, all[:n]...)
	if n < len(all) {
		return n, errAgain
	}
	return n, nil
}

// What a carrier takes in parts of any length is each byte once, and in order.
func TestPartsAreWrittenOnce(t *testing.T) {
	both, _ := twins(t, time.Hour)
	defer closeBoth(both)
	p := both[0].Port(0)
	lengths := []int{0, 1, 100, 300}
	for each := 1; each < 3*100; each += 7 {
		var want []byte
		w := newWriter(both[0].peers[1].streams[controlStream])
		for i, n := range lengths {
			f := address(p, netio.Control, 0, 1, n)
			for k := range f.Payload() {
				f.Payload()[k] = byte(i + k)
			}
			want = append(want, encode(f, 0)...)
			w.frames.Push(f)
		}
		s := &sip{each: each}
		for turns := 0; !w.frames.Empty(); turns++ {
			require.Less(t, turns, 2*len(want)+len(lengths), "parts of %d bytes: it goes on for ever", each)
			_, err := w.advance(s)
			if err != nil {
				require.ErrorIs(t, err, errAgain)
			}
		}
		require.Equal(t, want, s.took, "parts of %d bytes", each)
	}
	require.Zero(t, p.Pool().Lent())
}
