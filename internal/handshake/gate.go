package handshake

import (
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

// strangersMax is how many strangers a [Gate] keeps beside the members that it expects.
const strangersMax = 64

// Gate greets everybody who dials a listener, and hands on those who prove to be members of the job. Strangers are
// refused, logged and bounded in number. A gate keeps Members + 64 guests that have not proven the secret. For one more it
// drops the oldest of those that have said nothing, or, when all have sent an opening, the oldest of these. A guest that
// has proven the secret is never dropped. The fields must be set before Open and not be changed afterwards; Log,
// Mismatch, Limit and Members may be left zero.
type Gate struct {
	Listener net.Listener
	Secret   []byte
	Mine     Hello
	Members  int           // connections of members that may come at the same time
	Limit    time.Duration // until a guest has said who it is; 0 is DefaultLimit
	Log      *slog.Logger  // may be nil
	// Prove, when it is not nil, finds out in place of the greeting who is at the other end of a connection that was accepted, and
	// returns what to speak with it over. It may be called from many goroutines.
	Prove func(net.Conn) (net.Conn, Hello, error)
	// Welcome is given each connection that was greeted well, and owns it. It may be called from many goroutines.
	Welcome func(net.Conn, Hello)
	// Mismatch is told of members whose identity differs; their connections are closed. It may be called from many
	// goroutines, and may be nil.
	Mismatch func(error)

	mu     sync.Mutex
	guests []*guest // whose greeting has begun, oldest first
	closed bool
	ended  sync.WaitGroup
}

// guest is a connection that is being greeted.
type guest struct {
	conn net.Conn
	step step
}

// Open begins to accept. Close must be called later.
func (g *Gate) Open() { g.ended.Go(g.accept) }

// Close closes the listener, drops unfinished greetings and returns when all is quiet. It may be called
// again, but not from Welcome or Mismatch.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.Listener.Close()
	for _, guest := range g.guests {
		guest.conn.Close()
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
		if guest := g.enter(conn); guest != nil {
			g.ended.Go(func() { g.greet(guest) })
		}
	}
}

func (g *Gate) greet(guest *guest) {
	conn, hello, err := g.prove(guest)
	if !g.leave(guest) {
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

func (g *Gate) prove(guest *guest) (net.Conn, Hello, error) {
	if g.Prove == nil {
		hello, err := server(guest.conn, g.Secret, g.Mine, g.Limit, func(s step) { g.advance(guest, s) })
		return guest.conn, hello, err
	}
	conn, hello, err := g.Prove(guest.conn)
	if err != nil {
		return guest.conn, hello, err
	}
	return conn, hello, nil
}

// enter adds a guest, and drops another one when there are too many. It returns nil when the gate is closed.
func (g *Gate) enter(conn net.Conn) *guest {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return nil
	}
	if i := g.surplus(); i >= 0 {
		g.guests[i].conn.Close()
		g.guests = slices.Delete(g.guests, i, i+1)
	}
	added := &guest{conn: conn}
	g.guests = append(g.guests, added)
	return added
}

// surplus is the index of the guest to drop for a new one: the oldest of those that have come least far. It is negative
// while there is room. The caller holds mu.
func (g *Gate) surplus() int {
	unproven, least := 0, -1
	for i, guest := range g.guests {
		if guest.step == stepProven {
			continue
		}
		unproven++
		if least < 0 || guest.step < g.guests[least].step {
			least = i
		}
	}
	if unproven < g.Members+strangersMax {
		return -1
	}
	return least
}

// advance notes how far a greeting has come.
func (g *Gate) advance(guest *guest, s step) {
	g.mu.Lock()
	defer g.mu.Unlock()
	guest.step = s
}

// leave removes a guest whose greeting has ended, and reports whether it had not been dropped.
func (g *Gate) leave(guest *guest) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.guests, guest)
	if i < 0 {
		return false
	}
	g.guests = slices.Delete(g.guests, i, i+1)
	return !g.closed
}

func (g *Gate) refuse(what, from string, err error) {
	if g.Log != nil {
		g.Log.Warn(what, "from", from, "error", err)
	}
}
