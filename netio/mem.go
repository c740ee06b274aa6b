package netio

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Mem is the transport of a job whose ranks all live in this process: a frame changes hands between two goroutines, by
// one atomic exchange and without a copy.
type Mem struct {
	stations []*station
	crowded  bool        // ranks outnumber the cores
	down     atomic.Bool // aborted or closed: frames are dropped
}

var (
	_ Transport = (*Mem)(nil)
	_ Port      = memPort{}
)

// NewMem makes a transport for the given number of ranks. It holds memory only for what is sent.
func NewMem(ranks int) *Mem {
	if ranks <= 0 {
		panic(fmt.Sprintf("netio: a job of %d ranks was asked for, it needs at least one", ranks))
	}
	m := &Mem{crowded: ranks > runtime.GOMAXPROCS(0)}
	m.stations = newStations(m.place(ranks))
	return m
}

// Name implements [Transport].
func (m *Mem) Name() string { return "mem" }

// Place implements [Transport].
func (m *Mem) Place() Place { return m.place(len(m.stations)) }

func (m *Mem) place(ranks int) Place { return PlaceOf(ranks, 1, 0) }

// Start implements [Transport]. Ranks of one process cannot lose each other, so failed is never called.
func (m *Mem) Start(func(error)) {}

// Port implements [Transport].
func (m *Mem) Port(rank int) Port { return memPort{m.stations[rank], m} }

// Abort implements [Transport]: there is no other process to tell.
func (m *Mem) Abort(string) { m.down.Store(true) }

// Close implements [Transport].
func (m *Mem) Close() error {
	m.down.Store(true)
	return nil
}

type memPort struct {
	*station
	all *Mem
}

// Send implements [Port].
func (p memPort) Send(f *Frame) {
	if p.all.down.Load() {
		f.Release()
		return
	}
	p.pass(f, p.all.stations[f.To])
}

// A rank with a core for itself looks around before it yields, for the longer the more often it has found nothing: the Go
// scheduler's locks are those of all cores.
const (
	looksMost    = 64 // of one pause
	yieldsSeldom = 8  // pauses before one that yields
)

// Pause implements [Port].
func (p memPort) Pause() {
	p.vain++
	if !p.all.crowded {
		for range min(p.vain, looksMost) {
			if p.has() {
				return
			}
			cpu.Relax()
		}
		if p.vain%yieldsSeldom != 0 {
			return
		}
	}
	p.station.Pause()
}

// Recv implements [Port].
func (p memPort) Recv() *Frame {
	f := p.station.Recv()
	if f != nil {
		p.vain = 0
	}
	return f
}
