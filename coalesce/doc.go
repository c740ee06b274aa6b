// Package coalesce gathers pebbles for the same hop into frames: message coalescing (Active Pebbles, section 3.3).
//
// It holds the arithmetic alone: what a lane is, how a batch of pebbles is spread over lanes, which lane is due, and what
// lanes may cost in memory. Whose memory the lanes point to, and where full ones go, is the business of package target.
package coalesce
