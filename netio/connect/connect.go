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
	c.Inside(frame.Access{}).Faster(func(c *tcp.Config) ([]tcp.Way, error) {
		switch name {
		case ByTCP:
			return nil, nil
		case ByShm, ByAuto, "":
			return shm.Open(c, name == ByShm)
		}
		return nil, fmt.Errorf("there is none of the name %q; there are %s, %s and %s", name, ByAuto, ByShm, ByTCP)
	})
	t, err := tcp.Dial(ctx, c)
	if err != nil {
		return nil, err // no interface that holds a nil pointer
	}
	return t, nil
}
