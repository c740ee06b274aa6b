package tcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// knock dials a listener as a stranger while a job starts.
func knock(address string, with []byte) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil // the job has started: the listener is closed
	}
	defer c.Close()
	c.Write(with)
	c.SetReadDeadline(time.Now().Add(time.Second))
	if b, _ := io.ReadAll(c); len(b) > 40 {
		return fmt.Errorf("a stranger learns %d bytes", len(b))
	}
	return nil
}

// TestStrangersDontDisturb starts a job while strangers dial all listeners.
func TestStrangersDontDisturb(t *testing.T) {
	cs := netiotest.Configs(t, 3, 3)
	random := make([]byte, 1000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	half := append([]byte("\xa7pebble\x01"), random[:32]...) // a good opening, then a wrong proof
	var strangers sync.WaitGroup
	errs := make(chan error, 1000)
	for _, c := range cs {
		for i := range 40 {
			with := [][]byte{nil, random, []byte("GET / HTTP/1.0\r\n\r\n"), append(half, random...)}[i%4]
			strangers.Go(func() { errs <- knock(c.Addresses[c.Place.Process], with) })
		}
	}
	all := dialAll(t, cs)
	told := startAll(all)
	strangers.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err, "strangers get no more than an opening")
	}
	for i := range all {
		_, err := net.Dial("tcp", cs[i].Addresses[i])
		require.Error(t, err, "a running job listens no more")
		send(all[i], i, (i+1)%3, 10)
	}
	for i := range all {
		netiotest.Next(all[i].Port(i)).Release()
		require.Empty(t, told[i])
	}
	_ = netiotest.CloseAll(all)
}

// TestOtherBuildFailsTheStart puts a process of another build between two others. Those that meet report the
// difference; one that comes after both have left can only report that they are missing.
func TestOtherBuildFailsTheStart(t *testing.T) {
	cs := netiotest.Configs(t, 3, 3)
	cs[1].Identity.Build = "another"
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	missing := errors.New("two have met and left")
	errs := make(chan error)
	for _, c := range cs {
		go func() {
			_, err := tcp.Dial(ctx, c)
			errs <- err
		}()
	}
	named := 0
	for range cs {
		err := <-errs
		require.Error(t, err)
		if strings.Contains(err.Error(), "compare build") {
			require.ErrorContains(t, err, `"another"`)
			if named++; named == 2 {
				cancel(missing) // no process comes any more to one that is left
			}
		}
	}
	require.GreaterOrEqual(t, named, 2)
}

// TestWrongSecretFailsTheStart refuses the end that dials; to the other end, it is a stranger like all others.
func TestWrongSecretFailsTheStart(t *testing.T) {
	cs := netiotest.Configs(t, 2, 2)
	cs[1].Secret = netiotest.Secret(2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waits := make(chan error)
	go func() {
		_, err := tcp.Dial(ctx, cs[0])
		waits <- err
	}()
	_, err := tcp.Dial(t.Context(), cs[1])
	require.ErrorIs(t, err, handshake.ErrSecret)
	cancel()
	err = <-waits
	require.ErrorContains(t, err, "wait for process 1 ("+cs[1].Addresses[1])
	require.ErrorIs(t, err, context.Canceled)
}

func TestDifferentShapesFailTheStart(t *testing.T) {
	cs := netiotest.Configs(t, 4, 2)
	cs[1].Place = netio.PlaceOf(5, 2, 1)
	_, errs := tryAll(t.Context(), cs)
	for _, err := range errs {
		require.ErrorContains(t, err, "it was started for")
	}
}

func TestMissingProcessIsNamed(t *testing.T) {
	for limit := 50 * time.Millisecond; ; limit *= 2 { // until the other two have the time to meet
		cs := netiotest.Configs(t, 3, 3)
		cs[2].Listener.Close()
		for i := range cs {
			cs[i].StartLimit = limit
		}
		_, errs := tryAll(t.Context(), cs[:2])
		met := true
		for i, err := range errs {
			require.ErrorContains(t, err, "process 2 ("+cs[2].Addresses[2])
			met = met && !strings.Contains(err.Error(), cs[1-i].Addresses[1-i])
		}
		if met {
			return
		}
		require.Less(t, limit, time.Minute, "processes that are there are called missing: %v", errs)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	cs := netiotest.Configs(t, 2, 2)
	defer cs[0].Listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := tcp.Dial(ctx, cs[1])
	require.ErrorIs(t, err, context.Canceled)
}

func TestConfigIsChecked(t *testing.T) {
	for words, change := range map[string]func(*tcp.Config){
		"secret has 3 bytes":    func(c *tcp.Config) { c.Secret = []byte("abc") },
		"no listener":           func(c *tcp.Config) { c.Listener.Close(); c.Listener = nil },
		"process 5 of 2":        func(c *tcp.Config) { c.Place.Process = 5 },
		"1 addresses for 2":     func(c *tcp.Config) { c.Addresses = c.Addresses[:1] },
		"not those that Spread": func(c *tcp.Config) { c.Place.Last++ },
		"1 ranks can't be":      func(c *tcp.Config) { c.Place.Ranks = 1 },
	} {
		cs := netiotest.Configs(t, 4, 2)
		defer cs[1].Listener.Close()
		c := cs[0]
		change(&c)
		_, err := tcp.Dial(t.Context(), c)
		require.ErrorContains(t, err, words)
	}
}

func TestListenTCP(t *testing.T) {
	for _, bind := range []string{"", "localhost", "127.0.0.1", "127.0.0.1:0", "lo", "lo:0"} {
		l, err := tcp.Listen(bind)
		require.NoError(t, err, bind)
		require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback(), bind)
		l.Close()
	}
	for bind, words := range map[string]string{
		"0.0.0.0": "every network", "0.0.0.0:7": "every network", "::": "every network", "[::]:0": "every network",
		":80": "every network", "127.0.0.1:x": "not a number", "127.0.0.1:70000": "not a number",
		"no-such-host.invalid": "find host",
	} {
		_, err := tcp.Listen(bind)
		require.ErrorContains(t, err, words, bind)
	}
	l, err := tcp.Listen("")
	require.NoError(t, err)
	defer l.Close()
	_, err = tcp.Listen(l.Addr().String())
	require.ErrorContains(t, err, "is in use, name another one")
	require.True(t, strings.HasPrefix(err.Error(), "listen on "))
}

// dialsAtOnce is the number of greetings that a process may have in progress as the dialling end.
const dialsAtOnce = 8

// TestManyProcessesStart makes more members dial process 0 than a gate keeps strangers.
func TestManyProcessesStart(t *testing.T) {
	const processes = 34 // of two connections to each other one
	all := dialAll(t, netiotest.Configs(t, processes, processes))
	told := startAll(all)
	send(all[processes-1], processes-1, 0, 10)
	netiotest.Next(all[0].Port(0)).Release()
	for i := range told {
		require.Empty(t, told[i])
	}
	_ = netiotest.CloseAll(all)
}

// crowd counts the greetings in progress.
type crowd struct {
	mu        sync.Mutex
	now, most int
	full      chan struct{} // closed at dialsAtOnce greetings
}

func (c *crowd) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
	if c.now == dialsAtOnce && c.most == dialsAtOnce {
		select {
		case <-c.full:
		default:
			close(c.full)
		}
	}
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
}

// TestDialsAreBounded answers for all the processes that one of 41 dials, and counts each greeting from its acceptance
// until its last message is about to leave.
func TestDialsAreBounded(t *testing.T) {
	const processes = 41
	cs := netiotest.Configs(t, processes, processes)
	greetings := &crowd{full: make(chan struct{})}
	var answering sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	for _, c := range cs[:processes-1] {
		mine := handshake.Hello{
			Role: handshake.RolePeer, Job: c.Job, Process: c.Place.Process,
			Processes: processes, Ranks: processes, Connect: tcp.ConnectAll, Identity: c.Identity,
		}
		answer := func(conn net.Conn) {
			greetings.enter()
			<-greetings.full
			_, _, err := handshake.Server(&leaving{Conn: conn, crowd: greetings}, c.Secret, mine, 0)
			require.NoError(t, err)
		}
		answering.Go(func() {
			for range 2 { // streams
				conn, err := c.Listener.Accept()
				require.NoError(t, err)
				mu.Lock()
				conns = append(conns, conn)
				mu.Unlock()
				answering.Go(func() { answer(conn) })
			}
		})
	}
	last, err := tcp.Dial(t.Context(), cs[processes-1])
	require.NoError(t, err)
	answering.Wait()
	require.Equal(t, dialsAtOnce, greetings.most)
	last.Abort("enough")
	for _, conn := range conns { // without goodbyes
		conn.Close()
	}
	last.Close()
	for _, c := range cs[:processes-1] {
		c.Listener.Close()
	}
}

// leaving is a connection whose greeting leaves the crowd before its last message.
type leaving struct {
	net.Conn
	crowd  *crowd
	writes int
}

func (l *leaving) Write(b []byte) (int, error) {
	if l.writes++; l.writes == 3 { // opening, proof, Hello
		l.crowd.leave()
	}
	return l.Conn.Write(b)
}

func TestOpenFilesAreChecked(t *testing.T) {
	check := func(processes int, connect string, allowed uint64) error {
		return tcp.CheckFiles(&tcp.Config{Place: netio.PlaceOf(processes, processes, 0), Connect: connect}, allowed)
	}
	require.NoError(t, check(64, tcp.ConnectAll, 1024))
	require.NoError(t, check(481, tcp.ConnectAll, 1024)) // 2 * 480 + 64
	require.NoError(t, check(1000, tcp.ConnectAll, 0))
	require.NoError(t, check(1<<16, tcp.ConnectNeed, 96)) // 2 * 16 + 64
	require.NoError(t, check(1, tcp.ConnectNeed, 64))
	require.Error(t, check(1<<16, tcp.ConnectNeed, 95))
	require.EqualError(t, check(482, tcp.ConnectAll, 1024),
		"a process of 482 needs 1026 open files, 2 for each one that it connects with, and 1024 are allowed: "+
			"raise the limit with `ulimit -n 1026` on each host, or start fewer processes")
}

// Processes in a row that listen at one address are on one host.
func TestHostsOfAddresses(t *testing.T) {
	require.Equal(t, []int{0, 2, 3, 4}, tcp.HostsOf([]string{
		"192.0.2.1:7", "192.0.2.1:8", "192.0.2.2:7", "192.0.2.1:9", "[2001:db8::1]:7", "[2001:db8::1]:8",
	}))
	require.Equal(t, []int{0}, tcp.HostsOf([]string{"127.0.0.1:7"}))
	job := dialAll(t, netiotest.Configs(t, 4, 3))
	for _, tr := range job {
		tr.Start(func(error) {})
		require.Equal(t, []int{0}, tr.Place().Hosts())
	}
	require.NoError(t, netiotest.CloseAll(job))
}
