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

// strangersMax is how many strangers a [Gate] keeps beside the members that it expects.
const strangersMax = 64

// refusedMax is how many strangers a [Gate] tells of one by one.
const refusedMax = 100

// Gate greets everybody who dials a listener, and hands on those who prove to be members of the job. Strangers are
// refused, logged and bounded in number. A gate keeps Members + 64 guests that have not proven the secret. For one
// more it drops one of those that have said nothing, or, when all have sent an opening that is signed, of these: the
// oldest of the address that has most of them. A guest that has proven the secret is never dropped. Of strangers it
// logs the first 100, and how many more there were. The fields must be set before Open and not be changed afterwards;
// Log, Mismatch, Limit and Members may be left zero.
type Gate struct {
	Listener net.Listener
	Secret   []byte
	Mine     Hello
	Members  int           // connections of members that may come at the same time
	Limit    time.Duration // until a guest has said who it is; 0 is DefaultLimit
	Log      *slog.Logger  // may be nil
	// Check, when it is not nil, refuses who must not even begin, by an error. It is called by one goroutine.
	Check func(net.Conn) error
	// Prove, when it is not nil, finds out in place of the greeting who is at the other end of a connection that was
	// accepted, and returns what to speak with it over. It calls begun when the other end has said what a member
	// would. It may be called from many goroutines.
	Prove func(conn net.Conn, begun func()) (net.Conn, Hello, error)
	// Welcome is given each connection that was greeted well, and owns it. It may be called from many goroutines.
	Welcome func(net.Conn, Hello)
	// Mismatch is told of members whose identity differs; their connections are closed. It may be called from many
	// goroutines, and may be nil.
	Mismatch func(error)

	mu      sync.Mutex
	guests  []*guest // whose greeting has begun, oldest first
	closed  bool
	refused int // guests, of which no more than refusedMax were told
	ended   sync.WaitGroup
}

// guest is a connection that is being greeted.
type guest struct {
	conn net.Conn
	standing
}

// standing says who is dropped before whom.
type standing struct {
	step step
	home netip.Prefix // whose guests share places: an address, of IPv6 a network of 64 bits
}

func homeOf(conn net.Conn) (home netip.Prefix) {
	if from, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		address := from.AddrPort().Addr().Unmap().WithZone("")
		home, _ = address.Prefix(min(address.BitLen(), 64))
	}
	return home
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
		if err != nil { // too many open files, or the guest has left already: both pass
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
		if guest := g.enter(conn); guest != nil {
			g.ended.Go(func() { g.greet(guest) })
			runtime.Gosched() // a member has spoken already: it is heard before others can drop it
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
	conn, hello, err := g.Prove(guest.conn, func() { g.advance(guest, stepOpened) })
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
	added := &guest{conn, standing{stepSilent, homeOf(conn)}}
	g.guests = append(g.guests, added)
	return added
}

// surplus is the index of the guest to drop for a new one: of those that have come least far, the oldest of the home
// that has most. It is negative while there is room. The caller holds mu.
func (g *Gate) surplus() int {
	unproven := 0
	for _, guest := range g.guests {
		if guest.step < stepProven {
			unproven++
		}
	}
	if unproven < g.Members+strangersMax {
		return -1
	}
	crowds := make(map[standing]int)
	for _, guest := range g.guests {
		crowds[guest.standing]++
	}
	drop := 0
	for i, guest := range g.guests {
		worst := g.guests[drop].standing
		if guest.step < worst.step || guest.step == worst.step && crowds[guest.standing] > crowds[worst] {
			drop = i
		}
	}
	return drop
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

// refuse tells of the first strangers, and counts the others: a crowd must not fill the log.
func (g *Gate) refuse(what, from string, err error) {
	g.mu.Lock()
	g.refused++
	tell := g.refused <= refusedMax
	g.mu.Unlock()
	if tell && g.Log != nil {
		g.Log.Warn(what, "from", from, "error", err)
	}
}
