// Package way is the contract between the multiplexer (netio/internal/mux) and the ways by which frames pass between
// processes. Package netio/tcp connects all processes and is the life line; shared memory and libfabric are faster ways
// to some of them.
package way

import (
	"context"
	"log/slog"
	"time"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// Way is a faster way than TCP to some of the other processes. A frame to one of them tries the ways in their order and
// takes the first that has room; TCP is the last, and always has room. Loss, abort and goodbye are told by TCP alone.
type Way interface {
	// Name is the way's word in the name of the transport.
	Name() string
	// Offer is what others are told of this process at the handshake.
	Offer() handshake.Offer
	// Meet links this process with all those whose offers name the same place. It is given their addresses by process,
	// and returns early when the life line has failed.
	Meet(ctx context.Context, line LifeLine, addresses map[int]string) error
	// OnHost tells, after Meet, whether this process shares processors with another one that the way links.
	OnHost(process int) bool
	// LooksAtMemory tells whether a look takes nanoseconds. Else it calls something, and takes as long as a yield of
	// the processor.
	LooksAtMemory() bool
	// Port is a rank's end of the way, after Meet.
	Port(rank int) Port
	// Unlink is told, on any goroutine and maybe twice, that a process will release nothing any more.
	Unlink(process int)
	// Close comes once, last: after a start that failed, for a way that linked nobody, and after TCP has ended. quiet
	// says that nobody reads this process's frames any more.
	Close(quiet bool)
}

// Port is a rank's end of a [Way]. All methods are for the rank's goroutine. A frame comes back when its receiver has
// released it, or after Unlink; the rank is woken when a frame arrives, or one comes back, between Announce and Leave.
type Port interface {
	// Memory returns n bytes for a frame, on a cache line, and Drop takes them back. Memory returns nil when it has
	// none to give, Drop leaves alone what it hasn't given.
	Memory(n int) []byte
	Drop(f *netio.Frame)
	// Send takes a frame for a rank of a process. It reports false when the process isn't linked, or there is no room
	// now.
	Send(f *netio.Frame, process int) bool
	// Recv returns a frame that has arrived, or nil.
	Recv() *netio.Frame
	// Look tells others of the frames that were released here. Then it looks for one that has arrived, so many times at
	// most.
	Look(times int) bool
	// Gather takes in which frames were released elsewhere.
	Gather()
	// Announce tells others of releases too. It says that the rank is about to park, and then reports whether there is
	// something to receive or to gather.
	Announce() bool
	// Leave takes the announcement back.
	Leave()
}

// OneSided is a [Port] that accesses exposed memory of other processes too.
type OneSided interface {
	// Far is what the rank's operations go to that no process of this host has mapped. Those that the way can't do it
	// leaves to rest.
	Far(rest local.Far) local.Far
}

// LifeLine is what ways see of the transport that connects all processes. Any goroutine may call it.
type LifeLine interface {
	// Ports are those of this process's ranks, where frames of their own process arrive.
	Ports() []*local.Port
	// Space is what the process exposes, and what it sees of others.
	Space() *exposed.Space
	// First is the first failure of the job that was told here.
	First() <-chan error
	// Tell tells of a failure that no process is known to have caused.
	Tell(err error)
	// Lose ends the connections to a process, and tells why.
	Lose(process int, cause error)
	// Finished reports whether a process has said goodbye.
	Finished(process int) bool
}

// Config is what a way knows of the job when it is opened.
type Config struct {
	Place          netio.Place // of this process
	Secret         []byte
	Addresses      []string      // of the life line, by process
	HandshakeLimit time.Duration // of one greeting
	Log            *slog.Logger
	// Hello is this process's greeting on a connection. It may be called once all ways are open.
	Hello func(lane uint8) handshake.Hello
}

// Absent is the error for processes that are not connected; addresses are by process.
func Absent(addresses []string, processes []int, cause error) error {
	e := &netio.AbsentError{Processes: processes, Cause: cause}
	for _, p := range processes {
		e.Addresses = append(e.Addresses, addresses[p])
	}
	return e
}
