package shm

import (
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// releases report to one rank the frames that others have released. Each frame that the rank can have in flight has an
// entry, so a release always has room and never waits. An entry holds the turn of the ring, the releasing process, and
// the number of the frame.
type releases struct {
	entries []atomic.Uint64 // inflight.SharedMax
	header  *local.RingHeader
}

const (
	turnShift    = 48
	processShift = 24
)

func turnOf(seq uint64) uint64 { return (seq/inflight.SharedMax + 1) & (1<<(64-turnShift) - 1) }

// reserve returns the first of n sequence numbers.
func (r *releases) reserve(n int) uint64 { return r.header.Released.Add(uint64(n)) - uint64(n) }

func (r *releases) publish(seq uint64, process int, n frame.Number) {
	local.Published()
	r.entries[seq%inflight.SharedMax].Store(turnOf(seq)<<turnShift | uint64(process)<<processShift | uint64(n))
}

// next returns the entry of the rank's next sequence number, once it is present.
func (r *releases) next(seq uint64) (process int, n frame.Number, ok bool) {
	e := r.entries[seq%inflight.SharedMax].Load()
	if e>>turnShift != turnOf(seq) {
		return 0, 0, false
	}
	local.Observed()
	return int(e >> processShift & (1<<(turnShift-processShift) - 1)), frame.Number(e & (1<<processShift - 1)), true
}
