// Package connect opens the transport between the processes of a job by its name.
package connect

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/shm"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// The names of transports between processes, as [Dial] takes them.
const (
	ByAuto = "auto" // shared memory within each host, TCP between hosts
	ByShm  = "shm"  // shared memory, or an error
	ByTCP  = "tcp"
)

// Dial connects this process with all others of its job, as [tcp.Dial] does, by the transport of a name; "" is [ByAuto].
// All processes must be given the same.
func Dial(ctx context.Context, c tcp.Config, name string) (netio.Transport, error) {
	switch name {
	case ByTCP:
		return dialTCP(ctx, c)
	case ByShm, ByAuto, "":
	default:
		c.Inside(access).Refuse()
		return nil, fmt.Errorf("start transport: there is none of the name %q; there are %s, %s and %s", name, ByAuto, ByShm, ByTCP)
	}
	if err := c.Inside(access).Complete(); err != nil {
		c.Inside(access).Refuse()
		return nil, fmt.Errorf("start transport: %w", err)
	}
	o, err := shm.NewOffer(&c)
	switch {
	case err == nil:
		return o.Dial(ctx, c, name == ByShm)
	case name == ByShm:
		c.Inside(access).Refuse()
		return nil, fmt.Errorf("start transport: share memory: %w; use transport %s", err, ByTCP)
	}
	c.Log.Info("no shared memory", "error", err)
	return dialTCP(ctx, c)
}

// dialTCP never returns an interface that holds a nil pointer.
func dialTCP(ctx context.Context, c tcp.Config) (netio.Transport, error) {
	t, err := tcp.Dial(ctx, c)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// access is the key to what of netio is for transports.
var access frame.Access
