// Package coalesce gathers pebbles for the same hop into frames: message coalescing (Active Pebbles, section 3.3).
//
// An [Outbox] is the buffers of one target on one rank: a [Lane] for each neighbour, the frame that it fills, the
// credit of its link, and the frames that wait for credit. It never waits: it answers what has become of a lane, and
// whoever sends waits. A [Sender] is what the outboxes of one rank share: its port, and its account of memory.
//
// Memory: a lane in use points to one frame, of 256 bytes at first, header included, and of coalescing factor × pebble
// size + 64 bytes, rounded up to a power of two, at most. So a target's lanes take neighbours × frame bytes while they
// fill, and as many frames as a link has credit for are in flight besides: neighbours × credits × frame bytes. A
// neighbour itself takes about 160 bytes.
//
// The files of testdata show all of this at work, step by step.
package coalesce
