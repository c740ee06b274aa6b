package page

import (
	"net"
	"net/http"
	"sync"
)

// gate is a listener that immediately closes connections beyond a limit, so that strangers cost a bounded number of
// goroutines and files.
type gate struct {
	net.Listener
	slots   chan struct{} // one element for each open connection
	drained sync.Once
}

func newGate(l net.Listener, most int) *gate {
	return &gate{Listener: l, slots: make(chan struct{}, most)}
}

// Accept waits for a connection and a slot for it.
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

// state gets the state of connections from the HTTP server. Closed is the last report of a connection's goroutine, so a
// free slot means that the goroutine has also ended.
func (g *gate) state(_ net.Conn, s http.ConnState) {
	if s == http.StateClosed {
		<-g.slots
	}
}

// drain waits until all connections have ended. No new ones may arrive.
func (g *gate) drain() {
	g.drained.Do(func() {
		for range cap(g.slots) {
			g.slots <- struct{}{}
		}
	})
}
