// Package termination detects the quiescence of a job of Active Pebbles: no rank has anything to do and no frame is in
// flight (Active Pebbles, section 3.6).
//
// A detector is a state machine: counts and messages go in, messages and a verdict come out. It uses no clock, no
// goroutine and no transport, so a test can enumerate its interleavings. A user's detector is another [Maker].
//
// For P ranks, pebbles of depth n, routes of h hops, and N out-neighbours of the rank with the most, an epoch costs
// that rank
//
//	detector        messages            holds for                              its verdict is about
//	skr             2⌈log2 P⌉ or more   anything                               the job
//	nbx             n h ⌈log2 P⌉        a known depth and routes               the job
//	pcx             n h ⌈log2 P⌉        a known depth and routes               the rank
//	pcx-neighbors   n h N               the same, and one topology for all     the rank
//	ordered         n N                 a known depth, one staged topology     the rank
//
// # Words
//
// A round is one exchange of messages between the detectors of the ranks; an epoch takes one or more. Ordered calls its
// rounds passes. A phase is a part of the frames of one link: those created between two reports of their number (see
// [Ledger]). The generation of a pebble is its place in its chain, counted from 1: a level without hops.
//
// # Levels
//
// All detectors except SKR rely on chains of pebbles that end. A chain is a pebble that a body sent, a pebble that its
// handling sent, and so on. The level of a frame's pebble is the number of frames that its longest chain has taken so
// far, including this one. A chain has at most n pebbles and each takes at most h frames, so no level is above n h.
// Pebbles of several levels may share a frame, and a pebble that a cache merges from several has the highest of their
// levels. Before a pebble's frame is created, the pebble depends only on lower levels, or on the body. So a rank that
// is idle, and has processed all frames of levels up to k that will ever be sent to it, has created all its frames of
// levels up to k+1.
package termination
