package tcp_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/tcp"
)

// proxy stands between process 1 and process 0, and spoils what passes once it is told to.
type proxy struct {
	listener net.Listener
	to       string
	spoil    atomic.Pointer[func(fromDialler bool, b []byte) bool] // false: don't pass b on
	all      sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
}

// behindProxy puts one in front of process 0 in the address list of all.
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
