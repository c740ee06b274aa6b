// Package coalesce gathers pebbles for the same hop into frames: message coalescing (Active Pebbles, section 3.3).
//
// An [Outbox] holds the buffers of one target on one rank: a [Lane] for each neighbour, the frame that it fills, the
// credit of its link, and the frames that wait for credit. An outbox waits only through the [Waiter] of the [Origin]
// that sends; most origins have none. A [Sender] is shared by the outboxes of one rank: its port, and its account of
// memory.
//
// Memory: a lane in use has one frame, of 256 bytes at first, header included, and of at most coalescing factor ×
// pebble size + 64 bytes, rounded up to a power of two. So a target's lanes take neighbours × frame bytes while they
// fill, and frames in flight take neighbours × credits × frame bytes more. A neighbour itself takes about 160 bytes.
//
// The files of testdata show all of this at work, step by step.
package coalesce
