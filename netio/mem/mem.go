// Package mem is the transport of a job with all ranks in one process. A frame changes hands between two goroutines by
// one atomic exchange and without a copy, or by value when it is small.
package mem

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// Transport is the transport of one process.
type Transport struct {
	ports   []*port
	locals  []*local.Port
	space   *exposed.Space
	place   netio.Place
	crowded bool        // ranks outnumber the cores
	down    atomic.Bool // aborted or closed: frames are dropped
}

var (
	_ netio.Transport = (*Transport)(nil)
	_ netio.Port      = (*port)(nil)
)

// New returns a transport for the given number of ranks. It panics if the number is not positive. It holds memory only
// for frames in flight.
func New(ranks int) *Transport {
	if ranks <= 0 {
		panic(fmt.Sprintf("netio: a job of %d ranks was asked for, it needs at least one", ranks))
	}
	return open(netio.PlaceOf(ranks, 1, 0))
}

// NewLone returns the transport of rank 0 in a job of the given number of ranks. The other ranks do not exist: the job
// is only explained.
func NewLone(ranks int) *Transport {
	place := netio.PlaceOf(1, 1, 0)
	place.Ranks = ranks
	return open(place)
}

func open(place netio.Place) *Transport {
	here := place.Last - place.First
	t := &Transport{place: place, crowded: here > runtime.GOMAXPROCS(0)}
	t.locals = local.NewPorts(place)
	t.space = exposed.NewSpace(0, here, exposed.EntriesMax)
	for rank, l := range t.locals {
		t.ports = append(t.ports, &port{Port: l, t: t, oneSided: local.NewOneSided(rank, place, t.space, nil)})
	}
	return t
}

// Name implements [netio.Transport].
func (t *Transport) Name() string { return "mem" }

// Place implements [netio.Transport].
func (t *Transport) Place() netio.Place { return t.place }

// Start implements [netio.Transport]. Ranks of one process cannot lose each other, so failed is never called.
func (t *Transport) Start(func(error)) {}

// Port implements [netio.Transport].
func (t *Transport) Port(rank int) netio.Port { return t.ports[rank] }

// Abort implements [netio.Transport]. No other process needs the reason.
func (t *Transport) Abort(string) { t.down.Store(true) }

// Close implements [netio.Transport].
func (t *Transport) Close() error {
	if !t.down.Swap(true) {
		t.space.Drop()
	}
	return nil
}

// port is the port of one rank.
type port struct {
	*local.Port
	t        *Transport
	oneSided *local.OneSided
	idle     uint32 // pauses since the last frame
	_        [2 * cpu.CacheLine]byte
}

// OneSided implements [netio.Port].
func (p *port) OneSided() netio.OneSided { return p.oneSided }

// Send implements [netio.Port].
func (p *port) Send(f *netio.Frame) {
	if p.t.down.Load() {
		f.Release()
		return
	}
	p.Pass(f, p.t.locals[f.To])
}

// Pause implements [netio.Port]. A rank with its own core looks for frames before it yields. Each pause without a frame
// makes the next one longer.
func (p *port) Pause() {
	p.idle++
	if !p.t.crowded {
		for range min(p.idle, idle.MemLooks) {
			if p.Has() {
				return
			}
			cpu.Relax()
		}
		if p.idle%idle.MemYieldEvery != 0 {
			return
		}
	}
	p.Port.Pause()
}

// Recv implements [netio.Port].
func (p *port) Recv() *netio.Frame {
	f := p.Port.Recv()
	if f != nil {
		p.idle = 0
	}
	return f
}
