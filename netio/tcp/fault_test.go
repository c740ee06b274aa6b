package tcp_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// startAll collects the failures that each process gets.
func startAll(all []*tcp.Transport) []chan error {
	told := make([]chan error, len(all))
	for i, tr := range all {
		told[i] = make(chan error, 10)
		tr.Start(func(err error) { told[i] <- err })
	}
	return told
}

// started starts processes that run until the test ends, and returns the failures that each gets.
func started(t *testing.T, cs []tcp.Config) (all []*tcp.Transport, told []chan error) {
	all = dialAll(t, cs)
	t.Cleanup(func() { _ = netiotest.CloseAll(all) })
	return all, startAll(all)
}

func send(tr *tcp.Transport, from, to, n int) { netiotest.Send(tr.Port(from), from, to, n) }

func TestFlippedBitIsNamed(t *testing.T) {
	t.Parallel() // it waits for late consequences of a broken connection
	for name, at := range map[string]int{"header": 20, "payload": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cs := netiotest.Configs(t, 2, 2)
			p := behindProxy(t, cs)
			all, told := started(t, cs)
			flip := func(fromDialler bool, b []byte) bool {
				if fromDialler && len(b) > at {
					b[at] ^= 4
				}
				return true
			}
			p.spoil.Store(&flip)
			send(all[1], 1, 0, 200)
			err := <-told[0]
			netiotest.RequireLost(t, err, 1)
			require.ErrorIs(t, err, netio.ErrDamaged)
			require.ErrorContains(t, err, "check "+name)
			netiotest.RequireLost(t, <-told[1], 0) // the other end is notified too
			require.Nil(t, all[0].Port(0).Recv(), "damaged frames don't arrive")
		})
	}
}

func TestCutConnectionIsLost(t *testing.T) {
	t.Parallel() // as well
	cs := netiotest.Configs(t, 2, 2)
	p := behindProxy(t, cs)
	_, told := started(t, cs)
	p.cut()
	for i := range told {
		netiotest.RequireLost(t, <-told[i], 1-i)
	}
}

func TestFrameForFinishedProcessIsTold(t *testing.T) {
	t.Parallel()
	all := dialAll(t, netiotest.Configs(t, 2, 2))
	told := startAll(all)
	closed := make(chan error)
	go func() { closed <- all[0].Close() }()
	var err error
	for err == nil { // until the goodbye has come
		send(all[1], 1, 0, 100)
		select {
		case err = <-told[1]:
		default:
			all[1].Port(1).Wait(time.Millisecond)
		}
	}
	require.ErrorIs(t, err, netio.ErrFinished)
	all[1].Abort("told")
	all[1].Close()
	<-closed
}

func TestCloseWithoutGoodbyeIsTold(t *testing.T) {
	t.Parallel() // it waits for the limit
	cs := netiotest.Configs(t, 2, 2)
	cs[0].CloseLimit = 500 * time.Millisecond
	all := dialAll(t, cs)
	told := startAll(all)
	require.ErrorContains(t, all[0].Close(), "did not say goodbye within 500ms")
	require.NoError(t, all[1].Close(), "a process that comes late finds that all is in order")
	require.Empty(t, told[1])
}

// TestEventsBeforeStartAreKept aborts before any process has started.
func TestEventsBeforeStartAreKept(t *testing.T) {
	all := dialAll(t, netiotest.Configs(t, 2, 2))
	defer netiotest.CloseAll(all)
	all[0].Abort("too early")
	var aborted *netio.AbortError
	require.ErrorAs(t, <-startAll(all)[1], &aborted)
	require.Equal(t, "too early", aborted.Reason)
}

func TestWrongUsePanics(t *testing.T) {
	all := dialAll(t, netiotest.Configs(t, 2, 2))
	defer netiotest.CloseAll(all)
	require.PanicsWithValue(t, "netio: rank 1 is not in this process, which has ranks 0-0", func() { all[0].Port(1) })
	require.PanicsWithValue(t, "netio: a frame is for rank 2, the job has 2", func() { send(all[0], 0, 2, 1) })
	require.Panics(t, func() { mem.New(0) })
	require.Panics(t, func() { netio.NewPool(nil).Get(netio.FrameBytesMax + 1) })
}

// proxy stands between process 1 and process 0, and spoils passing bytes on request.
type proxy struct {
	listener net.Listener
	to       string
	spoil    atomic.Pointer[func(fromDialler bool, b []byte) bool] // false: don't pass b on
	all      sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

// behindProxy puts a proxy in front of process 0 in the address list of all.
func behindProxy(t *testing.T, cs []tcp.Config) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, to: cs[0].Addresses[0]}
	for i := range cs {
		cs[i].Addresses = append([]string{l.Addr().String()}, cs[i].Addresses[1:]...)
	}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.to)
		if err != nil {
			from.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, from, to)
		p.mu.Unlock()
		p.all.Go(func() { p.pass(to, from, true) })
		p.all.Go(func() { p.pass(from, to, false) })
	}
}

func (p *proxy) pass(to, from net.Conn, fromDialler bool) {
	defer to.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		spoil := p.spoil.Load()
		if n > 0 && (spoil == nil || (*spoil)(fromDialler, b[:n])) {
			to.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
}
