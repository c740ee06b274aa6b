//go:build race

package local

import "sync/atomic"

// The race detector doesn't look at memory that it did not hand out. When the processes of a test's job are one, it must
// be told that what comes out of shared memory came in before.
var order atomic.Uint64

// Published is called before something is stored in shared memory for another process to see.
func Published() { order.Add(1) }

// Observed is called after something has been seen there.
func Observed() { order.Load() }
