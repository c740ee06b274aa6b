package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// network is a network in memory. Addresses are host:port.
type network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	late      map[string]bool // addresses that nothing is known of
}

type listener struct {
	network *network
	address net.Addr
	conns   chan net.Conn
	closed  chan struct{}
	close   sync.Once
	counted counted
	cuts    atomic.Int64 // connections that end with the first answer
}

// counted is what has passed a listener, and what its process has dialled.
type counted struct{ conns, writes, bytes atomic.Int64 }

type address string

func (address) Network() string  { return "memory" }
func (a address) String() string { return string(a) }

func newNetwork() *network {
	return &network{listeners: make(map[string]*listener), late: make(map[string]bool)}
}

func (n *network) listen(at string) *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{network: n, address: address(at), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners[at] = l
	return l
}

// dial is for the process that listens at from.
func (n *network) dial(from *listener) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, to string) (net.Conn, error) {
		n.mu.Lock()
		l, late := n.listeners[to], n.late[to]
		n.mu.Unlock()
		if late {
			return nil, &net.DNSError{Err: "no such host", Name: to, IsNotFound: true}
		}
		if l == nil {
			return nil, fmt.Errorf("dial %s: %w", to, syscall.ECONNREFUSED)
		}
		a, b := net.Pipe()
		select {
		case l.conns <- &counting{b, &l.counted, l.cuts.Add(-1) >= 0}:
			l.counted.conns.Add(1)
			from.counted.conns.Add(1)
			return &counting{a, &from.counted, false}, nil
		case <-l.closed:
			return nil, fmt.Errorf("dial %s: %w", to, syscall.ECONNREFUSED)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Addr() net.Addr { return l.address }

func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// counting counts what an end sends and takes.
type counting struct {
	net.Conn
	c   *counted
	cut bool
}

func (c *counting) Write(b []byte) (int, error) {
	if c.cut {
		return 0, errors.Join(syscall.ECONNRESET, c.Close())
	}
	n, err := c.Conn.Write(b)
	c.c.writes.Add(1)
	c.c.bytes.Add(int64(n))
	return n, err
}
