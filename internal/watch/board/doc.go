// Package board publishes the state of a rank: its last events, its current call, the reason of its wait, and its
// counters. The rank writes, plainly and without a lock, in nanoseconds. Watchers read from any goroutine, and never
// access the rank itself.
//
// A board consists of words, each written by one goroutine. A reader may see words of two moments together, but never
// half a word. The Go memory model does not count that as synchronization, and none is needed: the words are shown to
// people, or compared with earlier ones. So the race detector skips these functions.
package board
