package handshake_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
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

func openGate(t *testing.T, members int) *hall {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h := &hall{log: &journal{}, guests: make(chan net.Conn, 1), mismatch: make(chan error, 1)}
	h.Gate = &handshake.Gate{
		Listener: l, Secret: []byte("secret"), Mine: hello(0), Members: members, Limit: time.Minute, Log: slog.New(slog.NewTextHandler(h.log, nil)),
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
	h := openGate(t, 0)
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

// TestStrangersDropNoMember has members in the middle of their greetings when more strangers come than the gate keeps.
func TestStrangersDropNoMember(t *testing.T) {
	for _, members := range []int{1, 200} {
		h := openGate(t, members)
		var welcomed sync.WaitGroup
		welcomed.Go(func() {
			for range members {
				(<-h.guests).Close()
			}
		})
		var here []*paused
		for range members {
			c := &paused{Conn: h.dial(t), opened: make(chan struct{}), resume: make(chan struct{})}
			c.greeting.Go(func() { _, c.err = handshake.Client(c, []byte("secret"), hello(1), 0) })
			here = append(here, c)
		}
		for _, c := range here {
			<-c.opened // the gate has answered to the opening
		}
		var crowd []net.Conn
		for range 65 + members {
			crowd = append(crowd, h.dial(t))
		}
		for _, c := range crowd[:1+members] { // the gate keeps 64 beside the members
			_, err := c.Read(make([]byte, 1))
			require.Error(t, err)
		}
		for _, c := range here {
			close(c.resume)
		}
		for _, c := range here {
			c.greeting.Wait()
			require.NoError(t, c.err)
		}
		welcomed.Wait()
		h.Close()
	}
}

// TestAllMembersMayComeAtOnce has as many members at the gate as it was told of, and nobody is dropped.
func TestAllMembersMayComeAtOnce(t *testing.T) {
	const members = 300
	h := openGate(t, members)
	var crowd []net.Conn
	for range members + 64 { // members that have not spoken yet look like strangers
		crowd = append(crowd, h.dial(t))
	}
	var welcomed sync.WaitGroup
	welcomed.Go(func() {
		for range members {
			(<-h.guests).Close()
		}
	})
	for _, c := range crowd[:members] { // the oldest
		_, err := handshake.Client(c, []byte("secret"), hello(1), 0)
		require.NoError(t, err)
	}
	welcomed.Wait()
	h.Close()
}

// paused is a connection of a member that has heard the opening of the gate, and waits before it proves the secret.
type paused struct {
	net.Conn
	writes         int
	opened, resume chan struct{}
	greeting       sync.WaitGroup
	err            error
}

func (c *paused) Write(b []byte) (int, error) {
	if c.writes++; c.writes == 2 {
		close(c.opened)
		<-c.resume
	}
	return c.Conn.Write(b)
}

func TestStrangersAreLogged(t *testing.T) {
	h := openGate(t, 0)
	c := h.dial(t)
	c.Write([]byte("SSH-2.0-scan\r\n"))
	b, _ := io.ReadAll(c)
	require.Empty(t, b)
	h.Close()
	require.Contains(t, h.log.String(), handshake.ErrStranger.Error())
	require.Contains(t, h.log.String(), c.LocalAddr().String())
}

func TestMismatchIsTold(t *testing.T) {
	h := openGate(t, 0)
	other := hello(1)
	other.Identity.Build = "another"
	_, err := handshake.Client(h.dial(t), []byte("secret"), other, 0)
	require.ErrorContains(t, err, "compare build")
	require.ErrorContains(t, <-h.mismatch, "compare build")
}
