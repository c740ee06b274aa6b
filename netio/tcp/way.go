package tcp

import (
	"context"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// Way is a faster way than TCP to some of the other processes. Each frame to one of them tries the ways in their order and takes
// the first that has room; TCP is the last, and has always room. TCP stays the life line: loss, abort and goodbye are its own.
type Way interface {
	// Name is the way's word in [Transport.Name].
	Name() string
	// Offer is what others are told of this process at the handshake.
	Offer() handshake.Offer
	// Meet links this process with all those whose offers name the same place. It is given their addresses by process,
	// and returns early when t has failed.
	Meet(ctx context.Context, t *Transport, addresses map[int]string) error
	// OnHost tells, after Meet, whether this process shares processors with another one that the way links.
	OnHost(process int) bool
	// LooksAtMemory tells whether a look takes nanoseconds. Else it calls something, and takes as long as a yield of the processor.
	LooksAtMemory() bool
	// Port is a rank's end of the way, after Meet.
	Port(rank int) WayPort
	// Unlink is told, on any goroutine and maybe twice, that a process will release nothing any more.
	Unlink(process int)
	// Close comes once, last: after a start that failed, for a way that linked nobody, and after TCP has ended. quiet says that
	// nobody reads this process's frames any more.
	Close(quiet bool)
}

// WayPort is a rank's end of a [Way]. All methods are for the rank's goroutine. A frame comes back when its receiver has
// released it, or after Unlink; the rank is woken when a frame arrives, or one comes back, between Announce and Leave.
type WayPort interface {
	// Memory returns n bytes for a frame, on a cache line, and Drop takes them back. Memory returns nil when it has none to
	// give, Drop leaves alone what it hasn't given.
	Memory(n int) []byte
	Drop(f *netio.Frame)
	// Send takes a frame for a rank of a process. It reports false when the process isn't linked, or there is no room now.
	Send(f *netio.Frame, process int) bool
	// Recv returns a frame that has arrived, or nil.
	Recv() *netio.Frame
	// Look tells others of the frames that were released here. Then it looks for one that has arrived, so many times at most.
	Look(times int) bool
	// Gather takes in which frames were released elsewhere.
	Gather()
	// Announce tells others of releases too. It says that the rank is about to park, and then reports whether there is something to
	// receive or to gather.
	Announce() bool
	// Leave takes the announcement back.
	Leave()
}

// Reacher is a [WayPort] that reaches exposed memory of other processes too.
type Reacher interface {
	// Reach is what the rank's operations go to that no process of this host has mapped. Those that the way can't do it leaves to rest.
	Reach(rest local.Far) local.Far
}
