package handshake

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// guestsMax bounds the greetings that are under way at a [Gate].
const guestsMax = 64

// Gate greets everybody who dials a listener, and hands on those who prove to be members of the job. Strangers are
// refused, logged and bounded in number: past 64 greetings under way, the oldest is dropped. All fields but Log and
// Limit must be set before Open and not be changed afterwards.
type Gate struct {
	Listener net.Listener
	Secret   []byte
	Mine     Hello
	Limit    time.Duration // of one greeting; 0 is DefaultLimit
	Log      *slog.Logger  // may be nil
	// Welcome is given each connection that was greeted well, and owns it. It may be called from many goroutines.
	Welcome func(net.Conn, Hello)
	// Mismatch is told of members whose identity differs; their connections are closed. It may be called from many
	// goroutines, and may be nil.
	Mismatch func(error)

	mu     sync.Mutex
	guests []net.Conn // under way, oldest first
	closed bool
	ended  sync.WaitGroup
}

// Open begins to accept. Close must be called later.
func (g *Gate) Open() { g.ended.Go(g.accept) }

// Close closes the listener, drops the greetings that are under way and returns when all is quiet. It may be called
// again, but not from Welcome or Mismatch.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.Listener.Close()
	for _, c := range g.guests {
		c.Close()
	}
	g.mu.Unlock()
	g.ended.Wait()
}

func (g *Gate) accept() {
	for {
		conn, err := g.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, or the guest has left already: both pass
			g.refuse("accept connection", "", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if g.enter(conn) {
			g.ended.Go(func() { g.greet(conn) })
		}
	}
}

func (g *Gate) greet(conn net.Conn) {
	hello, err := Server(conn, g.Secret, g.Mine, g.Limit)
	if !g.leave(conn) {
		conn.Close()
		g.refuse("drop connection", conn.RemoteAddr().String(), errors.New("the gate is closed, or too many knock at it"))
		return
	}
	if err == nil {
		g.Welcome(conn, hello)
		return
	}
	conn.Close()
	g.refuse("refuse connection", conn.RemoteAddr().String(), err)
	var mismatch *IdentityError
	if errors.As(err, &mismatch) && g.Mismatch != nil {
		g.Mismatch(err)
	}
}

// enter adds a guest, and drops the oldest one when there are too many.
func (g *Gate) enter(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return false
	}
	if len(g.guests) == guestsMax {
		g.guests[0].Close()
		g.guests = append(g.guests[:0], g.guests[1:]...)
	}
	g.guests = append(g.guests, conn)
	return true
}

// leave removes a guest whose greeting has ended, and reports whether it had not been dropped.
func (g *Gate) leave(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, c := range g.guests {
		if c == conn {
			g.guests = append(g.guests[:i], g.guests[i+1:]...)
			return !g.closed
		}
	}
	return false
}

func (g *Gate) refuse(what, from string, err error) {
	if g.Log != nil {
		g.Log.Warn(what, "from", from, "error", err)
	}
}
