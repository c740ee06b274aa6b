package tcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
)

// Config configures [Dial]. It is equal on all processes of a job, except Place and Listener.
type Config struct {
	Job       string       // the job's id
	Secret    []byte       // 32 bytes
	Place     netio.Place  // of this process; spread by [Spread]
	Listener  net.Listener // bound already, by [Listen]; Dial takes ownership
	Addresses []string     // listening address of each process
	Identity  handshake.Identity
	TLS       bool   // encrypt connections; equal on all processes
	Connect   string // [ConnectAll] or [ConnectNeed]; "" is the latter above 64 processes

	HandshakeLimit time.Duration // of one greeting; default 5 s
	StartLimit     time.Duration // until all processes are connected; default 30 s
	SilenceMax     time.Duration // silence after which a peer is lost; default 10 s
	CloseLimit     time.Duration // of Close; default 5 s
	Log            *slog.Logger  // may be nil

	layer  Layer  // over the transport; may be nil
	served bool   // goroutines serve the streams, as on systems without polling
	dial   dialBy // nil: the kernel's TCP
}

// dialBy dials an address.
type dialBy func(ctx context.Context, network, address string) (net.Conn, error)

const secretBytes = 32

// Inside returns the methods of a configuration for the transports of this module.
func (c *Config) Inside(frame.Access) *insideConfig { return (*insideConfig)(c) }

// insideConfig has the methods of a configuration for transports.
type insideConfig Config

// Under puts the transport that [Dial] makes under a layer.
func (c *insideConfig) Under(l Layer) { c.layer = l }

// Over makes the transport dial by a function, over a network that is not the kernel's. Goroutines serve its streams.
func (c *insideConfig) Over(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.dial, c.served = dial, true
}

// Layer lies over a transport, and adds faster transports to some processes. [Dial] and [Transport.Close] call it.
type Layer interface {
	// Open is called first, before this process greets others. The configuration has its defaults.
	Open(t *Transport, c *Config) error
	// Offers returns the parts of this process's handshake, by the names of transports.
	Offers() map[string]handshake.Offer
	// Links reports whether the layer may link a process, whose offers it needs at the start. Both ends return the
	// same.
	Links(process int) bool
	// Meet is called when all processes that it may link, and all neighbours, are connected.
	Meet(ctx context.Context) error
	// Shut is called last, also after a failed start. quiet is true if all others have said goodbye.
	Shut(quiet bool)
}

// complete fills in defaults, and returns an error for an invalid configuration.
func (c *Config) complete() error {
	setDefault(&c.HandshakeLimit, handshake.DefaultLimit)
	setDefault(&c.StartLimit, 30*time.Second)
	setDefault(&c.SilenceMax, 10*time.Second)
	setDefault(&c.CloseLimit, 5*time.Second)
	if c.dial == nil {
		c.dial = (&net.Dialer{Timeout: c.HandshakeLimit}).DialContext
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := c.Place
	c.Connect = connectOr(c.Connect, p.Processes)
	switch {
	case c.Connect != ConnectAll && c.Connect != ConnectNeed:
		return fmt.Errorf("connections are made %q: say %s or %s", c.Connect, ConnectAll, ConnectNeed)
	case c.Listener == nil:
		return errors.New("there is no listener")
	case len(c.Secret) != secretBytes:
		return fmt.Errorf("the secret has %d bytes, it needs %d", len(c.Secret), secretBytes)
	case p.Processes <= 0 || p.Process < 0 || p.Process >= p.Processes || p.Ranks < p.Processes:
		return fmt.Errorf("process %d of %d with %d ranks can't be", p.Process, p.Processes, p.Ranks)
	case p != netio.PlaceOf(p.Ranks, p.Processes, p.Process):
		return fmt.Errorf("process %d has ranks %d-%d, not those that Spread gives it", p.Process, p.First, p.Last-1)
	case len(c.Addresses) != p.Processes:
		return fmt.Errorf("there are %d addresses for %d processes", len(c.Addresses), p.Processes)
	}
	return nil
}

// connectOr returns the setting of Connect, or its default.
func connectOr(setting string, processes int) string {
	switch {
	case setting != "":
		return setting
	case processes > allMost:
		return ConnectNeed
	}
	return ConnectAll
}

func setDefault(v *time.Duration, to time.Duration) {
	if *v <= 0 {
		*v = to
	}
}

// Hello returns this process's greeting on a connection. Those beyond the streams of TCP stay within the host.
func (c *insideConfig) Hello(stream uint8) handshake.Hello {
	var offers map[string]handshake.Offer
	if c.layer != nil {
		offers = c.layer.Offers()
	}
	return handshake.Hello{
		Role: handshake.RolePeer, Job: c.Job, Process: c.Place.Process, Processes: c.Place.Processes,
		Ranks: c.Place.Ranks, Lane: stream, Connect: c.Connect, Encrypted: c.TLS && stream < streamCount,
		Identity: c.Identity, Offers: offers,
	}
}
