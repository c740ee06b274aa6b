package page

import (
	"net"
	"net/http"
	"sync"
)

// A gate is a listener that closes at once what comes while as many connections as may be are open, so that strangers
// cost a bounded number of goroutines and files.
type gate struct {
	net.Listener
	slots   chan struct{} // one element for each open connection
	drained sync.Once
}

func newGate(l net.Listener, most int) *gate {
	return &gate{Listener: l, slots: make(chan struct{}, most)}
}

// Accept waits for a connection for which there is a slot.
func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case g.slots <- struct{}{}:
			return c, nil
		default:
			c.Close()
		}
	}
}

// state is told by the HTTP server what becomes of connections. Closed is the last thing that a connection's goroutine
// says, so a free slot means that the goroutine is gone as well.
func (g *gate) state(_ net.Conn, s http.ConnState) {
	if s == http.StateClosed {
		<-g.slots
	}
}

// drain waits until all connections have ended; none may come any more.
func (g *gate) drain() {
	g.drained.Do(func() {
		for range cap(g.slots) {
			g.slots <- struct{}{}
		}
	})
}
