package handshake_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// tape is a connection that plays recorded bytes, and records written ones.
type tape struct {
	net.Conn
	play    io.Reader
	written bytes.Buffer
}

func (p *tape) Read(b []byte) (int, error)  { return p.play.Read(b) }
func (p *tape) Write(b []byte) (int, error) { return p.written.Write(b) }
func (p *tape) SetDeadline(time.Time) error { return nil }
func (p *tape) RemoteAddr() net.Addr        { return &net.IPAddr{} }
func play(b []byte) *tape                   { return &tape{play: bytes.NewReader(b)} }
func serve(p *tape) (handshake.Hello, error) {
	_, theirs, err := handshake.Server(p, []byte("secret"), hello(0), 0)
	return theirs, err
}
func client(p *tape) (handshake.Hello, error) {
	_, theirs, err := handshake.Client(p, []byte("secret"), hello(1), 0)
	return theirs, err
}

// record returns the bytes that both ends of a good greeting wrote.
func record(t testing.TB) (fromClient, fromServer []byte) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	c, s := &listened{Conn: a}, &listened{Conn: b}
	var both sync.WaitGroup
	both.Go(func() { handshake.Client(c, []byte("secret"), hello(1), 0) })
	both.Go(func() { handshake.Server(s, []byte("secret"), hello(0), 0) })
	both.Wait()
	return c.all.Bytes(), s.all.Bytes()
}

func TestReplayIsRefused(t *testing.T) {
	fromClient, fromServer := record(t)
	_, err := serve(play(fromClient))
	require.ErrorIs(t, err, handshake.ErrSecret)
	_, err = client(play(fromServer))
	require.ErrorIs(t, err, handshake.ErrSecret)
}

// TestReflectionIsRefused replays to an end everything that it has written.
func TestReflectionIsRefused(t *testing.T) {
	for name, greet := range map[string]func(net.Conn) error{
		"client": func(c net.Conn) error { _, _, err := handshake.Client(c, []byte("secret"), hello(1), 0); return err },
		"server": func(c net.Conn) error { _, _, err := handshake.Server(c, []byte("secret"), hello(1), 0); return err },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			var mirror sync.WaitGroup
			mirror.Go(func() {
				if name == "server" { // speaks second: opens with a nonce of the attacker's
					fromClient, _ := record(t)
					b.Write(fromClient[:40])
				}
				io.Copy(b, b)
			})
			err := greet(a)
			require.ErrorIs(t, err, handshake.ErrSecret)
			a.Close()
			b.Close()
			mirror.Wait()
		})
	}
}

// TestAlteredHelloIsRefused stands between two members, and flips each byte from the client in turn.
func TestAlteredHelloIsRefused(t *testing.T) {
	fromClient, _ := record(t)
	for at := range fromClient {
		a, far := net.Pipe()
		near, b := net.Pipe()
		var all sync.WaitGroup
		all.Go(func() { flip(near, far, at) })
		all.Go(func() { io.Copy(far, near) })
		all.Go(func() { handshake.Client(a, []byte("secret"), hello(1), 0) })
		_, _, err := handshake.Server(b, []byte("secret"), hello(0), 50*time.Millisecond)
		for _, c := range []net.Conn{a, b, near, far} {
			c.Close()
		}
		all.Wait()
		require.Error(t, err, "byte %d", at)
	}
}

// flip copies, with one byte changed.
func flip(to io.Writer, from io.Reader, at int) {
	b := make([]byte, 1<<14)
	for done := 0; ; {
		n, err := from.Read(b)
		if i := at - done; i >= 0 && i < n {
			b[i] ^= 0x10
		}
		if _, wrong := to.Write(b[:n]); err != nil || wrong != nil {
			return
		}
		done += n
	}
}

func TestStrangerLearnsNothing(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing": "", "random": strings.Repeat("x", 5000), "http": "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"part of the magic": "\xa7pebb",
	} {
		p := play([]byte(sent))
		_, err := serve(p)
		require.Error(t, err, name)
		require.Zero(t, p.written.Len(), name)
	}
}

// TestSlowStrangerIsRefused sends bytes one by one, far more slowly than the limit allows in total.
func TestSlowStrangerIsRefused(t *testing.T) {
	fromClient, _ := record(t)
	a, b := net.Pipe()
	defer b.Close()
	stop := make(chan struct{})
	var drip sync.WaitGroup
	drip.Go(func() {
		for i := range fromClient {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				a.Write(fromClient[i : i+1])
			}
		}
	})
	_, _, err := handshake.Server(b, []byte("secret"), hello(0), 100*time.Millisecond)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.ErrorContains(t, err, "no greeting within 100ms")
	close(stop)
	a.Close()
	drip.Wait()
}

func FuzzServer(f *testing.F) {
	fromClient, _ := record(f)
	f.Add(fromClient)
	f.Add(fromClient[:40])
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := serve(play(b))
		require.Error(t, err)
	})
}

func FuzzClient(f *testing.F) {
	_, fromServer := record(f)
	f.Add(fromServer)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := client(play(b))
		require.Error(t, err)
	})
}
