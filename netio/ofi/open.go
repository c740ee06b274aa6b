package ofi

import (
	"fmt"
	"net"
	"strings"

	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

func init() { connect.Register(access, Open) }

// Open opens the way. When the job need not have it, nothing is loaded unless there is a device or a provider was
// named, and what fails is logged.
func Open(c *way.Config, f connect.Fabric, must bool) ([]way.Way, error) {
	if !must && f.Provider == "" && !HasDevice() || c.Place.Processes == 1 {
		return nil, nil
	}
	w, err := openWay(c, f, must)
	if err == nil {
		return []way.Way{w}, nil
	}
	if must || f.Provider != "" {
		return nil, fmt.Errorf("use libfabric: %w", err)
	}
	c.Log.Info("no libfabric", "error", err)
	return nil, nil
}

func openWay(c *way.Config, f connect.Fabric, must bool) (*Way, error) {
	node, _, err := net.SplitHostPort(c.Addresses[c.Place.Process])
	if err != nil {
		return nil, err
	}
	if err := mayLeave(f.Provider, c, f.Insecure); err != nil { // loads nothing to say so
		return nil, err
	}
	fabric, err := openLibfabric(f.Provider, node, c.Place.Processes)
	if err != nil {
		return nil, err
	}
	if err := mayLeave(fabric.Traits().Provider, c, f.Insecure); err != nil { // libfabric has chosen
		fabric.Close()
		return nil, err
	}
	return open(c, fabric, Options{Provider: f.Provider, All: must, Pinned: f.Pinned})
}

// mayLeave refuses a provider that anybody can reach where a process of the job is on another host, unless insecure
// allows it.
func mayLeave(provider string, c *way.Config, insecure bool) error {
	if !overIP[base(provider)] || insecure {
		return nil
	}
	for _, a := range c.Addresses {
		host, _, err := net.SplitHostPort(a)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			return fmt.Errorf("provider %s carries frames that anybody on the network can read, and write with luck, "+
				"and %s is not on this host: say --insecure, or use transport tcp",
				provider, a)
		}
	}
	return nil
}

// overIP are the providers whose endpoints are bound to an address of the host.
var overIP = map[string]bool{"tcp": true, "net": true, "sockets": true, "udp": true}

// HasDevice reports whether this host has a device that libfabric may use.
func HasDevice() bool { return len(devices("/")) > 0 }

// packetOf is the largest packet of a provider. Others than these may have buffers of that size of their own, for each
// process.
func packetOf(provider string) int {
	if b := base(provider); b == "tcp" || b == "shm" {
		return packetLarge
	}
	return packetSmall
}

// base is a provider's name without what is layered on it.
func base(provider string) string {
	name, _, _ := strings.Cut(provider, ";")
	return name
}
