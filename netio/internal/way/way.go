// Package way is the contract between the multiplexer (netio/internal/mux) and the ways of frames between processes.
// Package netio/tcp can connect all processes and is the life line. Shared memory and libfabric are faster ways to some
// of them.
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
// takes the first with room; TCP is last, and always has room. Only TCP reports loss, abort and goodbye.
type Way interface {
	// Name returns the way's word in the name of the transport.
	Name() string
	// Offer returns the way's part of this process's handshake.
	Offer() handshake.Offer
	// Local reports whether the way links processes of one host alone.
	Local() bool
	// Meet links this process with all those whose offers name the same place. It is given their addresses by process,
	// and returns early when the life line has failed.
	Meet(ctx context.Context, line LifeLine, addresses map[int]string) error
	// OnHost reports, after Meet, whether this process shares processors with another one that the way links.
	OnHost(process int) bool
	// LooksAtMemory reports whether a look takes nanoseconds. Otherwise a look is a call that takes as long as a yield.
	LooksAtMemory() bool
	// Port returns a rank's end of the way, after Meet.
	Port(rank int) Port
	// Unlink is called on any goroutine, maybe twice, when a process will release no more frames.
	Unlink(process int)
	// Close is called once, last: after a failed start, for a way that linked no process, and after TCP has ended. If
	// quiet is set, no process reads this process's frames any more.
	Close(quiet bool)
}

// Port is a rank's end of a [Way]. All methods are for the rank's goroutine. A frame returns when its receiver has
// released it, or after Unlink. Between Announce and Leave, an arriving or returning frame wakes the rank.
type Port interface {
	// Memory returns n bytes for a frame, on a cache line, or nil if the way has no memory. Drop takes them back, and
	// ignores other memory.
	Memory(n int) []byte
	Drop(f *netio.Frame)
	// Send sends a frame to a rank of another process. It reports false if the process is not linked, or without room.
	Send(f *netio.Frame) bool
	// Recv returns an arrived frame, or nil.
	Recv() *netio.Frame
	// Look sends pending acknowledgements. Then it looks for an arrived frame, at most the given number of times.
	Look(times int) bool
	// Gather collects the releases of frames by other processes.
	Gather()
	// Announce sends pending acknowledgements, and announces that the rank is about to park. Then it reports whether
	// anything is left to receive or to gather.
	Announce() bool
	// Leave withdraws the announcement.
	Leave()
}

// OneSided is a [Port] that also accesses exposed memory of other processes.
type OneSided interface {
	// Far returns the way's access to memory outside this host's mappings. It passes unsupported operations to rest.
	Far(rest local.Far) local.Far
}

// LifeLine is the part of the all-connecting transport that ways use. Any goroutine may call it.
type LifeLine interface {
	// Ports returns the ports of this process's ranks, where frames of their own process arrive.
	Ports() []*local.Port
	// Space returns the exposed memory of the process, and its view of other processes' exposed memory.
	Space() *exposed.Space
	// First receives the first reported failure of the job.
	First() <-chan error
	// Tell reports a failure without a known culprit.
	Tell(err error)
	// Lose ends the connections to a process, and reports the cause.
	Lose(process int, cause error)
	// Finished reports whether a process has said goodbye.
	Finished(process int) bool
}

// Config describes the job to a way that is opened.
type Config struct {
	Place          netio.Place // of this process
	Secret         []byte
	Addresses      []string      // of the life line, by process
	HandshakeLimit time.Duration // of one greeting
	Log            *slog.Logger
	// Hello is this process's greeting on a connection. It may be called once all ways are open.
	Hello func(lane uint8) handshake.Hello
}

// Absent returns the error for unconnected processes. addresses are by process.
func Absent(addresses []string, processes []int, cause error) error {
	e := &netio.AbsentError{Processes: processes, Cause: cause}
	for _, p := range processes {
		e.Addresses = append(e.Addresses, addresses[p])
	}
	return e
}
