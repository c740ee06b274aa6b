// Package coalesce gathers pebbles for the same hop into frames: message coalescing (Active Pebbles, section 3.3).
//
// An [Outbox] is the buffers of one target on one rank: a [Lane] for each neighbour, the frame that it fills, the credit of its
// link, and the frames that wait for credit. A [Sender] is what the outboxes of one rank share: its port, and its account of
// memory. When an outbox must wait for room or credit it asks its rank's [Engine].
//
// Memory: a lane takes about 50 bytes, and has a frame from its first pebble on, until that leaves. The first holds 192 bytes; it
// grows with use up to the coalescing factor, as far as the memory limit allows.
package coalesce
