package netio

import "sync/atomic"

// returns tell one rank which of its frames others have released. There is an entry for each frame that it can have under
// way, so there is always room, and to release never waits. An entry says which time around this is, who tells, and of
// which passage.
type returns struct {
	entries []atomic.Uint64 // returnsMax
	desk    *desk
}

const (
	turnShift    = 48
	processShift = 24
)

func returnTurn(ticket uint64) uint64 { return (ticket/returnsMax + 1) & (1<<(64-turnShift) - 1) }

// draw returns the first of n tickets.
func (r *returns) draw(n int) uint64 { return r.desk.returned.Add(uint64(n)) - uint64(n) }

func (r *returns) put(ticket uint64, process int, passage uint32) {
	shmPublish()
	r.entries[ticket%returnsMax].Store(returnTurn(ticket)<<turnShift | uint64(process)<<processShift | uint64(passage))
}

// next is the entry of the rank's next ticket, once it is there.
func (r *returns) next(ticket uint64) (process int, passage uint32, ok bool) {
	e := r.entries[ticket%returnsMax].Load()
	if e>>turnShift != returnTurn(ticket) {
		return 0, 0, false
	}
	shmObserve()
	return int(e >> processShift & (1<<(turnShift-processShift) - 1)), uint32(e & (1<<processShift - 1)), true
}
