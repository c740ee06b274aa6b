// Package mux joins the ways between the processes of a job: TCP, which can connect all processes and is the life line,
// and the faster ways beside it. It selects a way for each frame, and lets a rank wait for all ways at once.
package mux

import (
	"context"
	"net"
	"slices"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Transport is the transport of a job whose processes reach each other over TCP and over faster ways.
type Transport struct {
	*tcp.Transport
	open      func(*way.Config) ([]way.Way, error)
	addresses []string     // where processes listen, by process
	all       []way.Way    // all open ways
	ways      []way.Way    // ways that link this process with others
	far       bool         // TCP alone links some process
	ends      []netio.Port // ports of this process's ranks
	policy    idle.Policy
}

var (
	_ netio.Transport = (*Transport)(nil)
	_ netio.Preposter = (*Transport)(nil)
	_ tcp.Layer       = (*Transport)(nil)
)

// access is the key to the transports' parts of netio.
var access frame.Access

// Dial connects this process with all others of its job, like [tcp.Dial]. open opens faster ways before this process
// greets others. Frames try them in their order.
func Dial(ctx context.Context, c tcp.Config, open func(*way.Config) ([]way.Way, error)) (*Transport, error) {
	t := &Transport{open: open, far: true}
	c.Inside(access).Under(t)
	if _, err := tcp.Dial(ctx, c); err != nil {
		return nil, err
	}
	return t, nil
}

// Name implements [netio.Transport]: "tcp", the name of a faster way that links all processes, or a mix like "shm+tcp".
func (t *Transport) Name() (name string) {
	for _, w := range t.ways {
		name += "+" + w.Name()
	}
	if t.far {
		name += "+" + t.Transport.Name()
	}
	return name[1:]
}

// Port implements [netio.Transport].
func (t *Transport) Port(rank int) netio.Port {
	if place := t.Place(); len(t.ways) > 0 && place.Has(rank) {
		return t.ends[rank-place.First]
	}
	return t.Transport.Port(rank)
}

// Preposted implements [netio.Preposter] if one of the faster ways does.
func (t *Transport) Preposted(senders map[int]bool) (netio.Preposted, bool) {
	for _, w := range t.ways {
		if w, ok := w.(netio.Preposter); ok {
			return w.Preposted(senders)
		}
	}
	return netio.Preposted{}, false
}

// Open implements [tcp.Layer].
func (t *Transport) Open(below *tcp.Transport, c *tcp.Config) (err error) {
	t.Transport = below
	t.addresses = c.Addresses
	t.all, err = t.open(&way.Config{
		Place: c.Place, Secret: c.Secret, Addresses: c.Addresses,
		HandshakeLimit: c.HandshakeLimit, Log: c.Log, Hello: c.Inside(access).Hello,
	})
	return err
}

// Offers implements [tcp.Layer].
func (t *Transport) Offers() map[string]handshake.Offer {
	offers := make(map[string]handshake.Offer)
	for _, w := range t.all {
		offers[w.Name()] = w.Offer()
	}
	return offers
}

// Links implements [tcp.Layer]. The processes of a host listen at the same address.
func (t *Transport) Links(process int) bool {
	near := hostOf(t.addresses[process]) == hostOf(t.addresses[t.Place().Process])
	return slices.ContainsFunc(t.all, func(w way.Way) bool { return near || !w.Local() })
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

// Meet implements [tcp.Layer]. It links this process with others by the faster ways, and gives the ranks ports for
// these.
func (t *Transport) Meet(ctx context.Context) error {
	place, line := t.Place(), t.Under(access)
	linked, onHost := make([]bool, place.Processes), make([]bool, place.Processes)
	for _, w := range t.all {
		addresses := make(map[int]string)
		for process := range place.Processes {
			if o, ok := line.Offers(process)[w.Name()]; ok && o.Place == w.Offer().Place {
				addresses[process] = o.Address
			}
		}
		if err := w.Meet(ctx, line, addresses); err != nil {
			return err
		}
		for process := range addresses {
			linked[process], onHost[process] = true, onHost[process] || w.OnHost(process)
		}
		if len(addresses) > 0 {
			t.ways = append(t.ways, w)
		}
	}
	if len(t.ways) == 0 {
		return nil
	}
	t.far = false
	here := place.Last - place.First
	sharing := here
	for process := range place.Processes {
		if process == place.Process {
			continue
		}
		t.far = t.far || !linked[process]
		if onHost[process] {
			other := netio.PlaceOf(place.Ranks, place.Processes, process)
			sharing += other.Last - other.First
		}
		if linked[process] {
			line.WhenEnded(process, func() { t.unlink(process) })
		}
	}
	t.policy = idle.PolicyFor(here, sharing)
	if !slices.ContainsFunc(t.ways, way.Way.LooksAtMemory) {
		t.policy.YieldAsOverTCP()
	}
	for rank := place.First; rank < place.Last; rank++ {
		t.ends = append(t.ends, newPort(t, rank))
	}
	return nil
}

// unlink is called when a process will release no more frames.
func (t *Transport) unlink(process int) {
	for _, w := range t.ways {
		w.Unlink(process)
	}
	for _, p := range t.Under(access).Ports() {
		p.Wake()
	}
}

// Shut implements [tcp.Layer].
func (t *Transport) Shut(quiet bool) {
	for _, w := range t.all {
		w.Close(quiet)
	}
}
