// Package board is what a rank publishes of itself: its last events, the call that it is in, what it waits for and what
// it has counted. The rank writes, plainly and without a lock, in nanoseconds; whoever watches the job reads, from any
// goroutine, and never looks into the rank itself.
//
// A board consists of words, each of which is written by one goroutine. A reader may see words of two moments beside
// each other, never half a word. That is no synchronization as Go's memory model has it, and needs none: what is read
// is shown to people, or compared with what was read before. So the race detector is told to leave these functions
// alone.
package board
