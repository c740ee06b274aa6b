// Package termination detects when a job of Active Pebbles is quiescent: no rank has anything to do and no frame is in
// flight (Active Pebbles, section 3.6).
//
// A detector is a state machine: counts and messages go in, messages and a verdict come out. It uses no clock, no
// goroutine and no transport, so its interleavings can be enumerated in a test. A user's own detector is one more
// [Maker].
//
// For P ranks, pebbles of depth n, routes of h hops, and N out-neighbours of the rank that has most of them, an epoch
// costs that rank
//
//	detector        messages            holds for                              its verdict is about
//	skr             2⌈log2 P⌉ or more   anything                               the job
//	nbx             n h ⌈log2 P⌉        a known depth and routes               the job
//	pcx             n h ⌈log2 P⌉        a known depth and routes               the rank
//	pcx-neighbors   n h N               the same, and one topology for all     the rank
//	ordered         n N                 a known depth, one staged topology     the rank
//
// # Levels
//
// All but SKR count on chains of pebbles that end. A chain is a pebble that a body sent, a pebble that its handling
// sent, and so on. The level of a frame's pebble is the number of frames that its longest chain has taken so far,
// including this one. A chain has n pebbles at the most and each takes h frames at the most, so no level is above n h.
// Pebbles of several levels may share a frame, and a pebble that a cache merges from several is of the highest level
// that they give it. What a pebble needs before its frame is created is of lower levels, or done by the body: so a rank
// that is idle, and has processed all frames of levels up to k that there will ever be for it, has created all that it
// will ever create of levels up to k+1.
package termination
