package main

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
)

// process is a simulated process that prints frames.
type process struct {
	*sim.Process
	out io.Writer
}

// Port implements [netio.Transport].
func (p process) Port(rank int) netio.Port {
	return port{p.Process.Port(rank).(metered), p.out}
}

// metered is the interface of simulated ports.
type metered interface {
	netio.Port
	netio.Meter
}

// port is a rank's port that prints each frame with pebbles that it sends or receives, and not the messages of
// collectives and detectors.
type port struct {
	metered
	out io.Writer
}

// Send implements [netio.Port].
func (p port) Send(f *netio.Frame) {
	header := f.Header // the frame must not be used afterwards
	p.metered.Send(f)
	p.tell("send", header)
}

// Recv implements [netio.Port].
func (p port) Recv() *netio.Frame {
	f := p.metered.Recv()
	if f != nil {
		p.tell("take", f.Header)
	}
	return f
}

func (p port) tell(what string, h netio.Header) {
	if h.Kind == netio.Data {
		fmt.Fprintf(p.out, "%v\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n",
			p.Now(), what, h.From, h.To, h.Target, h.Epoch, h.Count, h.Bytes)
	}
}
