package netio

import (
	"fmt"
	"sync/atomic"
)

// Mem is the transport of a job whose ranks all live in this process: a frame changes hands between two goroutines, by
// one atomic exchange and without a copy.
type Mem struct {
	stations []*station
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
	m := &Mem{stations: make([]*station, ranks)}
	for i := range m.stations {
		m.stations[i] = newStation()
	}
	return m
}

// Name implements [Transport].
func (m *Mem) Name() string { return "mem" }

// Place implements [Transport].
func (m *Mem) Place() Place {
	return Place{Ranks: len(m.stations), Last: len(m.stations), Processes: 1}
}

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
	p.all.stations[f.To].deliver(f)
}
