package handshake_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/handshake"
)

// journal is a log that goroutines share.
type journal struct {
	mu sync.Mutex
	bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buffer.Write(b)
}

type hall struct {
	*handshake.Gate
	log      *journal
	guests   chan net.Conn
	mismatch chan error
}

func openGate(t *testing.T) *hall {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h := &hall{log: &journal{}, guests: make(chan net.Conn, 1), mismatch: make(chan error, 1)}
	h.Gate = &handshake.Gate{
		Listener: l, Secret: []byte("secret"), Mine: hello(0), Log: slog.New(slog.NewTextHandler(h.log, nil)),
		Welcome:  func(c net.Conn, _ handshake.Hello) { h.guests <- c },
		Mismatch: func(err error) { h.mismatch <- err },
	}
	h.Open()
	t.Cleanup(h.Close)
	return h
}

func (h *hall) dial(t *testing.T) net.Conn {
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// TestMembersPassACrowd lets more strangers in than the gate keeps, each saying nothing; a member comes through.
func TestMembersPassACrowd(t *testing.T) {
	h := openGate(t)
	var crowd []net.Conn
	for range 100 {
		crowd = append(crowd, h.dial(t))
	}
	c := h.dial(t)
	_, err := handshake.Client(c, []byte("secret"), hello(1), 0)
	require.NoError(t, err)
	(<-h.guests).Close()
	for _, c := range crowd[:30] { // the oldest are dropped for newer ones
		n, err := c.Read(make([]byte, 1))
		require.Zero(t, n)
		require.Error(t, err)
	}
	h.Close()
	for _, c := range crowd {
		_, err := c.Read(make([]byte, 1))
		require.Error(t, err)
	}
}

func TestStrangersAreLogged(t *testing.T) {
	h := openGate(t)
	c := h.dial(t)
	c.Write([]byte("SSH-2.0-scan\r\n"))
	b, _ := io.ReadAll(c)
	require.Empty(t, b)
	h.Close()
	require.Contains(t, h.log.String(), handshake.ErrStranger.Error())
	require.Contains(t, h.log.String(), c.LocalAddr().String())
}

func TestMismatchIsTold(t *testing.T) {
	h := openGate(t)
	other := hello(1)
	other.Identity.Build = "another"
	_, err := handshake.Client(h.dial(t), []byte("secret"), other, 0)
	require.ErrorContains(t, err, "compare build")
	require.ErrorContains(t, <-h.mismatch, "compare build")
}
