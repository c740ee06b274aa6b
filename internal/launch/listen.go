package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/netio/tcp"
)

// numberVerb stands for the number of a process in PEBBLES_RENDEZVOUS.
const numberVerb = "%d"

// each reports whether the address of each process is known.
func (t *task) each() bool { return strings.Contains(t.rendezvous, numberVerb) }

func (t *task) addressOf(process int) string {
	return strings.ReplaceAll(t.rendezvous, numberVerb, strconv.Itoa(process))
}

func checkRendezvous(address string) error {
	host, port, err := net.SplitHostPort(address)
	if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 || host == "" {
		return fmt.Errorf("%s=%q is not of the form host:port", varRendezvous, address)
	}
	if strings.Contains(strings.ReplaceAll(address, numberVerb, ""), "%") {
		return fmt.Errorf("%s=%q: %s alone stands for the number of a process", varRendezvous, address, numberVerb)
	}
	return nil
}

// listen opens two listeners at the address of this process: one for its children in the tree, at the port that they
// may know, and one for the transport.
func (t *task) listen(ctx context.Context, s settings) (first, own net.Listener, err error) {
	host, port, err := t.where(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if first, err = tcp.Listen(net.JoinHostPort(host, port)); err != nil {
		return nil, nil, fmt.Errorf("%w; name an address or interface of this host by %s", err, varBind)
	}
	bound, _, _ := net.SplitHostPort(first.Addr().String())
	if own, err = tcp.Listen(bound); err != nil {
		first.Close()
		return nil, nil, err
	}
	return first, own, nil
}

// where returns the host and the port at which this process listens.
func (t *task) where(ctx context.Context, s settings) (host, port string, err error) {
	if t.rendezvous != "" && (t.each() || t.process == 0) {
		host, port, _ = net.SplitHostPort(t.addressOf(t.process))
		if s.bind != "" {
			return s.bind, port, nil
		}
		address, err := resolve(ctx, s.start, host)
		return address, port, err
	}
	switch {
	case s.bind != "":
		return s.bind, "0", nil
	case t.local:
		return "127.0.0.1", "0", nil
	case t.rendezvous != "":
		first, port, _ := net.SplitHostPort(t.rendezvous)
		address, err := resolve(ctx, s.start, first)
		if err != nil {
			return "", "", err
		}
		host, err = towards(net.JoinHostPort(address, port))
		return host, "0", err
	case t.address != "":
		if host, err := towards(net.JoinHostPort(t.address, "9")); err == nil {
			return host, "0", nil
		}
	}
	host, err = ownAddress()
	return host, "0", err
}

// resolve returns the address of a name, which may become known only after the process has started, as with pods.
func resolve(ctx context.Context, limit time.Duration, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		addresses, err := net.DefaultResolver.LookupIPAddr(ctx, name)
		if err == nil && len(addresses) > 0 {
			return addresses[0].String(), nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", fmt.Errorf("find host %q: not known within %v: %w", name, limit, err)
		}
	}
}

// towards returns the address from which this host reaches another one. Nothing is sent.
func towards(address string) (string, error) {
	conn, err := net.Dial("udp", address)
	if err != nil {
		return "", fmt.Errorf("find the address of this host by which it reaches %s: %w", address, err)
	}
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	return host, err
}

// ownAddress returns the address of this host's name, or else of the interface that reaches far hosts, or else of its
// first interface.
func ownAddress() (string, error) {
	name, err := os.Hostname()
	if err == nil {
		addresses, _ := net.LookupIP(name)
		for _, a := range addresses {
			if a.IsGlobalUnicast() {
				return a.String(), nil
			}
		}
	}
	if host, err := towards("192.0.2.1:9"); err == nil { // an address for documentation, which no host has
		return host, nil
	}
	addresses, err := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return n.IP.String(), nil
		}
	}
	return "", errors.Join(fmt.Errorf("this host has no address that others could reach: name one, or an interface, by "+
		"%s", varBind), err)
}
