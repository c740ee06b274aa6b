package handshake_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
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
	welcomed chan net.Conn
	mismatch chan error
}

func openGate(t *testing.T, members int) *hall {
	h := newHall(t, members)
	h.Open()
	t.Cleanup(h.Close)
	return h
}

func newHall(t *testing.T, members int) *hall {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h := &hall{log: &journal{}, welcomed: make(chan net.Conn, 1), mismatch: make(chan error, 1)}
	h.Gate = &handshake.Gate{
		Listener: l, Secret: []byte("secret"), Mine: hello(0), Members: members, Limit: time.Minute,
		Log:      slog.New(slog.NewTextHandler(h.log, nil)),
		Welcome:  func(c net.Conn, _ handshake.Hello) { h.welcomed <- c },
		Mismatch: func(err error) { h.mismatch <- err },
	}
	return h
}

// welcome lets the given number of members in, during the test.
func (h *hall) welcome(members int) (all *sync.WaitGroup) {
	all = new(sync.WaitGroup)
	all.Go(func() {
		for range members {
			(<-h.welcomed).Close()
		}
	})
	return all
}

// greet greets the gate as a member, which is let in.
func (h *hall) greet(t *testing.T, c net.Conn) {
	t.Helper()
	_, _, err := handshake.Client(c, []byte("secret"), hello(1), 0)
	require.NoError(t, err)
	(<-h.welcomed).Close()
}

// crowd dials the given number of times, and sends nothing.
func (h *hall) crowd(t *testing.T, strangers int) (all []net.Conn) {
	for range strangers {
		all = append(all, h.dial(t))
	}
	return all
}

func (h *hall) dial(t *testing.T) net.Conn {
	c, err := net.Dial("tcp", h.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(testLimit))
	return c
}

// testLimit is the time that a test waits for an event that must come.
const testLimit = 10 * time.Second

// requireDropped requires that the gate ends a connection without sending anything.
func requireDropped(t *testing.T, c net.Conn) {
	t.Helper()
	n, err := c.Read(make([]byte, 1))
	require.Zero(t, n)
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it was not dropped")
}

// strangersMax is the number of strangers that a gate keeps besides expected members.
const strangersMax = 64

// TestMembersPassACrowd dials with more silent strangers than the gate keeps; a member comes through.
func TestMembersPassACrowd(t *testing.T) {
	h := openGate(t, 0)
	crowd := h.crowd(t, 100)
	h.greet(t, h.dial(t))
	for _, c := range crowd[:30] { // the oldest are dropped for newer ones
		requireDropped(t, c)
	}
	h.Close()
	for _, c := range crowd {
		requireDropped(t, c)
	}
}

// TestStrangersDropNoMember holds members in the middle of their greetings when more strangers come than the gate
// keeps.
func TestStrangersDropNoMember(t *testing.T) {
	for _, members := range []int{1, 200} {
		h := openGate(t, members)
		welcomed := h.welcome(members)
		var here []*paused
		for range members {
			here = append(here, h.pause(t, 2))
		}
		for _, c := range h.crowd(t, 65+members)[:1+members] { // the gate keeps 64 besides the members
			requireDropped(t, c)
		}
		for _, c := range here {
			require.NoError(t, c.goOn())
		}
		welcomed.Wait()
		h.Close()
	}
}

// TestAllMembersMayComeAtOnce brings all expected members to the gate, and none is dropped.
func TestAllMembersMayComeAtOnce(t *testing.T) {
	const members = 300
	h := openGate(t, members)
	crowd := h.crowd(t, members+64) // silent members look like strangers
	welcomed := h.welcome(members)
	for _, c := range crowd[:members] { // the oldest
		_, _, err := handshake.Client(c, []byte("secret"), hello(1), 0)
		require.NoError(t, err)
	}
	welcomed.Wait()
	h.Close()
}

// paused is a connection of a member that has received the opening of the gate, and waits before it proves the secret.
type paused struct {
	net.Conn
	at             int // the write before which it waits: 2 is the proof, 3 the Hello
	writes         int
	opened, resume chan struct{}
	greeting       sync.WaitGroup
	err            error
}

// pause begins the greeting of a member, and returns when the gate has answered and the member waits.
func (h *hall) pause(t *testing.T, at int) *paused {
	c := &paused{Conn: h.dial(t), at: at, opened: make(chan struct{}), resume: make(chan struct{})}
	c.greeting.Go(func() { _, _, c.err = handshake.Client(c, []byte("secret"), hello(1), 0) })
	<-c.opened
	return c
}

// goOn ends the greeting.
func (c *paused) goOn() error {
	close(c.resume)
	c.greeting.Wait()
	return c.err
}

func (c *paused) Write(b []byte) (int, error) {
	if c.writes++; c.writes == c.at {
		close(c.opened)
		<-c.resume
	}
	return c.Conn.Write(b)
}

// TestNobodyIsDroppedAfterItsProof makes strangers replay a member's bytes: as many strangers as the gate keeps, and
// one more.
func TestNobodyIsDroppedAfterItsProof(t *testing.T) {
	h := openGate(t, 0)
	member := h.pause(t, 3)
	fromClient, _ := record(t)
	var crowd []net.Conn
	for range strangersMax + 1 {
		c := h.dial(t)
		crowd = append(crowd, c)
		_, err := c.Write(fromClient[:40])
		require.NoError(t, err)
		_, err = io.ReadFull(c, make([]byte, 40)) // the gate counts it as one that has begun
		require.NoError(t, err)
	}
	requireDropped(t, crowd[0]) // it has made room for the last one
	require.NoError(t, member.goOn())
	(<-h.welcomed).Close()
}

// TestUnsignedOpeningsDropNoMember makes more strangers than the gate keeps send openings of the right form, and stay.
// They are refused at once, and take no place from a member that has begun, nor from a silent one.
func TestUnsignedOpeningsDropNoMember(t *testing.T) {
	h := openGate(t, 0)
	slow := h.dial(t)
	member := h.pause(t, 2)
	fromClient, _ := record(t)
	opening := bytes.Clone(fromClient[:40])
	opening[39] ^= 1
	for range strangersMax + 2 {
		c := h.dial(t)
		_, err := c.Write(opening)
		require.NoError(t, err)
		heard, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, append(opening[:8:8], make([]byte, 32)...), heard)
	}
	require.NoError(t, member.goOn())
	(<-h.welcomed).Close()
	h.greet(t, slow)
}

// TestACrowdOfOneAddressDropsItsOwn adds a stranger from elsewhere that stays silent longer than a crowd.
func TestACrowdOfOneAddressDropsItsOwn(t *testing.T) {
	h := openGate(t, 0)
	elsewhere := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	slow, err := elsewhere.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Skip("this system has one loopback address: ", err)
	}
	defer slow.Close()
	for _, c := range h.crowd(t, 100)[:100-strangersMax+1] { // the oldest
		requireDropped(t, c)
	}
	h.greet(t, slow)
}

// TestLogOfACrowd has 150 strangers: those with wrong bytes, and those that Check refuses. The log names 100, and
// counts the others.
func TestLogOfACrowd(t *testing.T) {
	other := errors.New("another user's")
	for _, c := range []struct {
		check func(net.Conn) error
		why   error
	}{{nil, handshake.ErrStranger}, {func(net.Conn) error { return other }, other}} {
		h := newHall(t, 0)
		h.Check = c.check
		h.Open()
		var first string
		for i := range 150 {
			c := h.dial(t)
			if i == 0 {
				first = c.LocalAddr().String()
			}
			c.Write([]byte("SSH-2.0-scan\r\n"))
			b, _ := io.ReadAll(c) // it may be refused before it has sent all
			require.Empty(t, b)
		}
		h.Close()
		lines := strings.Split(strings.TrimSpace(h.log.String()), "\n")
		require.Len(t, lines, 101)
		require.Contains(t, h.log.String(), first)
		for _, line := range lines[:100] {
			require.Contains(t, line, c.why.Error())
		}
		require.Contains(t, lines[100], "refuse connections")
		require.Contains(t, lines[100], "more=50")
	}
}

func TestMismatchIsTold(t *testing.T) {
	h := openGate(t, 0)
	other := hello(1)
	other.Identity.Build = "another"
	_, _, err := handshake.Client(h.dial(t), []byte("secret"), other, 0)
	require.ErrorContains(t, err, "compare build")
	require.ErrorContains(t, <-h.mismatch, "compare build")
}
