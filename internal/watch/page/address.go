package page

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const loopback = "127.0.0.1"

// address is a requested address to listen at.
type address struct {
	host  string // an address or a name
	named bool   // given as a name or an address, not as an interface
	port  string
}

// parse reads "8080", ":8080", "host:8080" and "eth0:8080".
func parse(text string) (address, error) {
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return address{}, fmt.Errorf("%q is not an address for the page: give a port, or host:port with a port up "+
			"to 65535", text)
	}
	if host == "" {
		return address{host: loopback, named: true, port: port}, nil
	}
	if i, err := net.InterfaceByName(host); err == nil {
		host, err = addressOf(i)
		return address{host: host, port: port}, err
	}
	return address{host: host, named: true, port: port}, nil
}

// addressOf returns the address of an interface, an IPv4 address if possible.
func addressOf(i *net.Interface) (best string, err error) {
	addresses, err := i.Addrs()
	if err != nil {
		return "", fmt.Errorf("the addresses of interface %s cannot be read: %w", i.Name, err)
	}
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		switch {
		case !ok:
		case ip.IP.To4() != nil:
			return ip.IP.String(), nil
		case best == "" && !ip.IP.IsLinkLocalUnicast():
			best = ip.IP.String()
		}
	}
	if best == "" {
		return "", fmt.Errorf("interface %s has no address: name another one for the page", i.Name)
	}
	return best, nil
}

func (a address) listen() string { return net.JoinHostPort(a.host, a.port) }

// seen returns the host and port for a viewer. The name of this host replaces an address that stands for all
// interfaces, since viewers cannot connect to that.
func (a address) seen(bound *net.TCPAddr) string {
	host := a.host
	if bound.IP.IsUnspecified() {
		host = loopback
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return net.JoinHostPort(host, strconv.Itoa(bound.Port))
}

// hosts returns the host names that a request may use.
func (a address) hosts(bound *net.TCPAddr) hosts {
	h := hosts{literals: bound.IP.IsUnspecified()}
	h.names = map[string]bool{"localhost": true, plain(bound.IP.String()): true}
	if a.named {
		h.names[plain(a.host)] = true
	}
	if h.literals {
		seen, _, _ := net.SplitHostPort(a.seen(bound))
		h.names[plain(seen)] = true
	}
	return h
}

// hosts are the names of this server. They exclude a page of another server whose name points here. The port may be
// any, since tunnels change it.
type hosts struct {
	names    map[string]bool
	literals bool // accept any IP address: it cannot be another server's name
}

func (h hosts) has(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = plain(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	_, err := netip.ParseAddr(host)
	return h.names[host] || h.literals && err == nil
}

// plain returns a host in a canonical spelling, for comparison.
func plain(host string) string {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// inWords adds advice to the error of an unavailable address.
func inWords(at string, err error) error {
	var dns *net.DNSError
	advice := "name another one"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "it is in use: name another port, or 0 for any that is free"
	case errors.Is(err, syscall.EACCES):
		advice = "this user may not have the port: name one from 1024 on"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		advice = "no interface of this host has it: name one that does, or 0.0.0.0 for all"
	case errors.As(err, &dns):
		advice = "no interface or host has that name"
	}
	return fmt.Errorf("the page cannot be served at %s: %s: %w", at, advice, err)
}
