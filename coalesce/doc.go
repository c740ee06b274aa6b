// Package coalesce gathers pebbles for the same hop into frames: message coalescing (Active Pebbles, section 3.3).
//
// It holds the arithmetic alone: what a lane is, how a batch of pebbles is spread over lanes, which lane is due, and what
// lanes may cost in memory. Whose memory the lanes point to, and where full ones go, is the business of package target.
//
// Memory: a lane in use points to one frame, of 256 bytes at first and of coalescing factor × pebble size + 64 bytes, rounded up to a
// power of two, at most. So a target's lanes take neighbours × frame bytes while they fill, and as many frames as a link has
// credit for are under way besides: neighbours × credits × frame bytes. The Lane itself takes 16 bytes.
package coalesce
