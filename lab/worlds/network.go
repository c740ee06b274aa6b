package worlds

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// network connects the processes of a world in memory, as the kernel's TCP does. It draws the fate of a connection from
// the world's seed, the processes, and the number of the dial.
type network struct {
	World
	doors []*door

	mu      sync.Mutex // guards all below, and all doors and links
	dials   map[[2]int]int
	links   []*link
	kept    map[[3]int]bool // streams between two processes that have a connection
	crossed int             // connections that both ends have dialled
	struck  map[[2]int]bool // pairs with a fault between them that may end the job
	died    time.Time       // time of the death of a process
	wrong   error           // the first broken promise
}

func newNetwork(w World) *network {
	n := &network{World: w, dials: map[[2]int]int{}, kept: map[[3]int]bool{}, struck: map[[2]int]bool{}}
	for process := range w.Processes {
		n.doors = append(n.doors, &door{n: n, process: process, calls: make(chan *half, 1<<10),
			shut: make(chan struct{})})
	}
	return n
}

// breach records a broken promise. The caller holds mu.
func (n *network) breach(format string, args ...any) {
	if n.wrong == nil {
		n.wrong = fmt.Errorf(format, args...)
	}
}

// dead reports whether a process has died, and mute whether its host has gone with it. The caller holds mu.
func (n *network) dead(process int) bool { return process == n.Death-1 && !n.died.IsZero() }
func (n *network) mute(process int) bool { return n.Long == 1 && n.dead(process) }

// troubled reports whether a fault has struck that may end the job. The caller holds mu.
func (n *network) troubled() bool { return len(n.struck) > 0 || !n.died.IsZero() }

// kill ends the process that dies.
func (n *network) kill() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.died = time.Now()
	for _, l := range n.links {
		for side := range l.ends {
			if l.process(side) == n.Death-1 {
				l.ends[side].finish()
				l.ends[side].wake()
			}
		}
	}
	n.doors[n.Death-1].close()
}

// fate holds the delays and faults of a connection.
type fate struct {
	takes    time.Duration // the dial
	fails    error         // the dial
	refused  bool          // by a process that is there
	troubles [2]trouble    // of the bytes of the dialling end, and of the other one
}

// trouble holds the faults of one direction, each after a number of bytes.
type trouble struct {
	breaks, stalls, hushes int
	stall                  time.Duration
	harmless               bool // it breaks during the greeting
}

const (
	slowMost     = 2 * time.Second
	stallMost    = time.Second
	failuresMost = 3 // dials of a pair that fail
	// greetingMin is below the number of bytes that each end sends until the other one has taken its whole greeting.
	greetingMin  = 300
	streamMost   = 3000 // maximum number of bytes before a connection breaks
	neverHappens = math.MaxInt
)

// draw draws the fate of a dial.
func (n *network) draw(d drawn, number int) (f fate) {
	f.takes = n.latency(d)
	if d.chance(n.Slow) {
		f.takes += time.Duration(d.Int64N(int64(slowMost)))
	}
	for side := range f.troubles {
		f.troubles[side] = trouble{breaks: neverHappens, stalls: neverHappens, hushes: neverHappens}
	}
	way := &f.troubles[d.IntN(2)]
	later := d.IntN(one(d, greetingMin, streamMost))
	if d.chance(n.Stall) {
		way.stalls, way.stall = later, time.Duration(d.Int64N(int64(stallMost)))
	}
	switch {
	case number < failuresMost && d.chance(n.Fail):
		if d.chance(30) {
			f.fails = one(d, syscall.EHOSTUNREACH, syscall.ETIMEDOUT, syscall.EADDRNOTAVAIL)
		} else {
			way.breaks, way.harmless = d.IntN(greetingMin), true
		}
	case d.chance(n.Refuse):
		f.fails, f.refused = syscall.ECONNREFUSED, true
	case d.chance(n.Reset):
		way.breaks = later
	case d.chance(n.Hush):
		way.hushes = later
	}
	return f
}

func (n *network) latency(d drawn) time.Duration {
	return time.Duration(d.Int64N(int64(n.Latency)*int64(time.Microsecond) + 1))
}

// dialler returns the dial function of a process.
func (n *network) dialler(from int) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		to, err := strconv.Atoi(address)
		if err != nil {
			return nil, err
		}
		l := n.link(from, to)
		ctx, cancel := context.WithTimeout(ctx, greetingLimit)
		defer cancel()
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("dial: %w", context.Cause(ctx))
		case <-time.After(l.takes):
		}
		if conn, err := n.reach(l); conn != nil || err != nil {
			return conn, err
		}
		<-ctx.Done() // nobody answers
		return nil, fmt.Errorf("dial: %w", context.Cause(ctx))
	}
}

// link returns a connection that a process dials.
func (n *network) link(from, to int) *link {
	n.mu.Lock()
	defer n.mu.Unlock()
	number := n.dials[[2]int{from, to}]
	n.dials[[2]int{from, to}]++
	d := drawn{rand.New(rand.NewPCG(n.Seed, uint64(from)<<40|uint64(to)<<20|uint64(number)))}
	l := &link{n: n, from: from, to: to, fate: n.draw(d, number), random: d}
	for side := range l.ends {
		l.ends[side] = &half{link: l, side: side}
		l.ways[side].news = make(chan struct{}, 1)
	}
	return l
}

// reach ends a dial. It returns nil and nil if nobody answers.
func (n *network) reach(l *link) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch door := n.doors[l.to]; {
	case n.mute(l.from) || n.mute(l.to):
		return nil, nil
	case l.refused:
		n.struck[between(l.from, l.to)] = true
		return nil, fmt.Errorf("dial: %w", l.fails)
	case l.fails != nil:
		return nil, fmt.Errorf("dial: %w", l.fails)
	case door.closed || n.dead(l.from):
		return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
	default:
		n.links = append(n.links, l)
		door.calls <- l.ends[1]
		return l.ends[0], nil
	}
}

// place is an address: the number of a process.
type place int

// Network implements [net.Addr].
func (place) Network() string { return "memory" }

// String implements [net.Addr].
func (p place) String() string { return strconv.Itoa(int(p)) }

// door is the listener of a process. Connections wait there, even before the process accepts any.
type door struct {
	n       *network
	process int
	calls   chan *half
	shut    chan struct{}
	closed  bool
}

// Accept implements [net.Listener].
func (d *door) Accept() (net.Conn, error) {
	select {
	case h := <-d.calls:
		return h, nil
	case <-d.shut:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (d *door) Close() error {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	d.close()
	return nil
}

func (d *door) close() {
	if d.closed {
		return
	}
	d.closed = true
	close(d.shut)
	for {
		select {
		case h := <-d.calls:
			h.leave()
		default:
			return
		}
	}
}

// Addr implements [net.Listener].
func (d *door) Addr() net.Addr { return place(d.process) }
