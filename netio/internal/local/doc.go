// Package local holds the state of transports for the ranks of one process: their ports, and the rings that pass small
// frames by value. Shared memory between processes uses the same rings.
//
//	Port.Pass ─┬─ small ──► slot of the receiver's inline ring ──► frame of its receive pool ──► Port.Recv
//	           └─ others ─► stack of arrived frames ─────────────────────────────────────────►
package local
