package ofi

import (
	"fmt"
	"net"
	"strings"

	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

func init() { connect.Register(access, Open) }

// Open opens the way. If the job does not require it, Open loads the library only if a device exists or a provider was
// named, and logs failures.
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
	if err := mayLeave(f.Provider, c, f.Insecure); err != nil { // needs no library
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

// mayLeave refuses a provider that any host can reach if a process is on another host, unless insecure allows it.
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

// overIP lists the providers whose endpoints are bound to an address of the host.
var overIP = map[string]bool{"tcp": true, "net": true, "sockets": true, "udp": true}

// HasDevice reports whether this host has a device that libfabric may use.
func HasDevice() bool { return len(devices("/")) > 0 }

// packetOf returns the largest packet of a provider. Providers other than these may have their own buffers of that
// size, for each process.
func packetOf(provider string) int {
	if b := base(provider); b == "tcp" || b == "shm" {
		return packetLarge
	}
	return packetSmall
}

// base returns a provider's name without the layers on it.
func base(provider string) string {
	name, _, _ := strings.Cut(provider, ";")
	return name
}
