// Package collective holds the collectives of Active Pebbles as nonblocking state machines: each is a short list of steps
// for one rank, and a [Machine] takes them as far as the messages that have arrived allow. Termination detection and the
// collectives that users call run on the same machines.
package collective
