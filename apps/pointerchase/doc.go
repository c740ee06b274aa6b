// Package pointerchase is the PointerChase benchmark on Active Pebbles for Go (Active Pebbles, section 4.2): one small
// message goes around a random ring of all ranks, again and again. Each step depends on the one before, so it measures
// what a single pebble takes from one rank to another and nothing else.
//
// The handler does it all: it looks where the message came, and sends it to the next rank of the ring. The main
// function of the first rank sends it off, and the end of the epoch tells that it has gone its last step. Nothing is
// gained by waiting for more pebbles, so the coalescing factor is 1, whatever the job's is, and there is no reduction
// cache.
package pointerchase
