package engine

import "github.com/activepebbles/pebbles/coalesce"

// Counters is what this rank has done since the job began.
func (r *Rank) Counters() coalesce.Counters {
	r.owned("Counters was called")
	return r.Count
}

// Memory is what one rank holds and has held, in bytes. Package pebble documents the fields.
type Memory struct {
	Peak, Filling  int64
	Buffers        int
	Queued, Caches int64
}

// Memory tells what the rank holds now, and the most that it has held.
func (r *Rank) Memory() Memory {
	r.owned("Memory was called")
	return Memory{
		Peak:    r.Pool.Peak() + r.Reserved,
		Filling: r.Filling,
		Buffers: r.BuffersPeak,
		Queued:  r.Queued,
		Caches:  r.Reserved,
	}
}
