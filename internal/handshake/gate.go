package handshake

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"
)

// strangersMax is the number of strangers' connections that a [Gate] keeps besides those of expected members.
const strangersMax = 64

// refusedMax is the number of strangers that a [Gate] logs one by one.
const refusedMax = 100

// Gate greets all connections of a listener, and passes on those that prove to be members of the job. Strangers are
// refused, logged and bounded in number. A gate keeps Members + 64 connections that are being greeted and have not
// proven the secret. For one more, it drops the oldest connection of the address with the most, among those that have
// sent nothing, or, if all have sent a signed opening, among these. It never drops one that has proven the secret. It
// logs the first 100 strangers, and the number of others. Set the fields before Open and do not change them afterwards;
// Log, Mismatch, Limit and Members may be zero.
type Gate struct {
	Listener net.Listener
	Secret   []byte
	Mine     Hello
	Members  int           // maximum number of members' connections at a time
	Limit    time.Duration // for the other end to identify itself; 0 is DefaultLimit
	Log      *slog.Logger  // may be nil
	// Check, if not nil, refuses connections before the greeting, by an error. One goroutine calls it.
	Check func(net.Conn) error
	// Prove, if not nil, replaces the greeting: it identifies the other end of an accepted connection, and returns the
	// connection to use. It calls begun when the other end has sent the opening of a member. Many goroutines may call
	// it.
	Prove func(conn net.Conn, begun func()) (net.Conn, Hello, error)
	// Wanted, if not nil, reports whether the connection of a member is wanted, before the member is told. If it
	// returns false, the member's [Client] returns [ErrCrossed]. If it returns true, Welcome follows, or Leave if the
	// greeting fails after all. Many goroutines may call both.
	Wanted func(Hello) bool
	Leave  func(Hello)
	// Welcome receives each connection that was greeted, and owns it. Many goroutines may call it.
	Welcome func(net.Conn, Hello)
	// Mismatch is called for members with another identity; their connections are closed. It may be nil. Many
	// goroutines may call it.
	Mismatch func(error)

	mu      sync.Mutex
	pending []*pending // connections that are being greeted, oldest first
	closed  bool
	refused int // connections, of these at most refusedMax logged
	ended   sync.WaitGroup
}

// pending is a connection that is being greeted.
type pending struct {
	conn net.Conn
	class
	admitted bool // by Gate.Wanted; for the goroutine of the greeting
}

// class determines the connections that are dropped first.
type class struct {
	step   step
	source netip.Prefix // an address, of IPv6 a network of 64 bits
}

func sourceOf(conn net.Conn) (source netip.Prefix) {
	if from, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		address := from.AddrPort().Addr().Unmap().WithZone("")
		source, _ = address.Prefix(min(address.BitLen(), 64))
	}
	return source
}

// Open starts to accept connections. Close must be called later.
func (g *Gate) Open() { g.ended.Go(g.accept) }

// Close closes the listener, drops unfinished greetings and returns when all goroutines have ended. It may be called
// again, but not from Welcome or Mismatch.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.Listener.Close()
	for _, p := range g.pending {
		p.conn.Close()
	}
	g.mu.Unlock()
	g.ended.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if more := g.refused - refusedMax; more > 0 && g.Log != nil {
		g.Log.Warn("refuse connections", "more", more)
		g.refused = refusedMax
	}
}

func (g *Gate) accept() {
	for {
		conn, err := g.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, or the other end has already gone: both pass
			g.refuse("accept connection", "", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if g.Check != nil {
			if err := g.Check(conn); err != nil {
				conn.Close()
				g.refuse("refuse connection", conn.RemoteAddr().String(), err)
				continue
			}
		}
		if p := g.add(conn); p != nil {
			g.ended.Go(func() { g.greet(p) })
			runtime.Gosched() // a member has already sent: it is read before others can drop it
		}
	}
}

func (g *Gate) greet(p *pending) {
	conn, hello, err := g.prove(p)
	kept := g.remove(p)
	if p.admitted && (!kept || err != nil) {
		g.Leave(hello)
	}
	if kept && err == nil {
		g.Welcome(conn, hello)
		return
	}
	p.conn.Close()
	if errors.Is(err, ErrCrossed) {
		return // its member knows, even if the gate has dropped it since
	}
	if !kept {
		g.refuse("drop connection", p.conn.RemoteAddr().String(), errors.New("the gate is closed, or too many knock at it"))
		return
	}
	g.refuse("refuse connection", p.conn.RemoteAddr().String(), err)
	var mismatch *IdentityError
	if errors.As(err, &mismatch) && g.Mismatch != nil {
		g.Mismatch(err)
	}
}

func (g *Gate) prove(p *pending) (net.Conn, Hello, error) {
	if g.Prove != nil {
		return g.Prove(p.conn, func() { g.advance(p, stepOpened) })
	}
	one := &greeting{
		conn: p.conn, secret: g.Secret, mine: g.Mine, reached: func(s step) { g.advance(p, s) },
		wanted: func(h Hello) bool { return g.wanted(p, h) },
	}
	return greet(one, g.Limit, (*greeting).server)
}

func (g *Gate) wanted(p *pending, h Hello) bool {
	if g.Wanted == nil {
		return true
	}
	p.admitted = g.Wanted(h)
	return p.admitted
}

// add adds a connection, and drops another one if they are too many. It returns nil if the gate is closed.
func (g *Gate) add(conn net.Conn) *pending {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		conn.Close()
		return nil
	}
	if i := g.surplus(); i >= 0 {
		g.pending[i].conn.Close()
		g.pending = slices.Delete(g.pending, i, i+1)
	}
	p := &pending{conn: conn, class: class{stepSilent, sourceOf(conn)}}
	g.pending = append(g.pending, p)
	return p
}

// surplus returns the index of the connection to drop for a new one: among the greetings with the least progress, the
// oldest of the source with the most. It is negative if the gate has room. The caller holds mu.
func (g *Gate) surplus() int {
	unproven, sizes := 0, make(map[class]int)
	for _, p := range g.pending {
		sizes[p.class]++
		if p.step < stepProven {
			unproven++
		}
	}
	if unproven < g.Members+strangersMax {
		return -1
	}
	drop := 0
	for i, p := range g.pending {
		worst := g.pending[drop].class
		if p.step < worst.step || p.step == worst.step && sizes[p.class] > sizes[worst] {
			drop = i
		}
	}
	return drop
}

// advance records the progress of a greeting.
func (g *Gate) advance(p *pending, s step) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p.step = s
}

// remove removes a connection whose greeting has ended, and reports whether it had not been dropped.
func (g *Gate) remove(p *pending) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.pending, p)
	if i < 0 {
		return false
	}
	g.pending = slices.Delete(g.pending, i, i+1)
	return !g.closed
}

// refuse logs the first strangers, and counts the others, so that they do not fill the log.
func (g *Gate) refuse(what, from string, err error) {
	g.mu.Lock()
	g.refused++
	logged := g.refused <= refusedMax
	g.mu.Unlock()
	if logged && g.Log != nil {
		g.Log.Warn(what, "from", from, "error", err)
	}
}
