// Package termination finds out when a job of Active Pebbles has come to rest: when no rank has anything to do and no
// frame is under way (Active Pebbles, section 3.6).
//
// A detector is a state machine: counts and messages go in, messages and a verdict come out. It knows no clock, no
// goroutine and no transport, so its interleavings can be enumerated in a test.
package termination
